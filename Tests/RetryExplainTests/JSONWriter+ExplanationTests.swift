import JSON
import RetryExplain
import RetryModel
import RetryRules
import Support
import Testing

@Suite
struct JSONWriterExplanationTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    private func explained(_ json: String) throws -> Value {
        var writer = JSONWriter()
        writer.beginObject()
        writer.explanationMembers(try bench.explain(json), bench.explainer.rules)
        writer.endObject()
        let parser = JSONParser(lengthMax: 1 << 20, depthMax: 32)
        return Value(try parser.parse(writer.bytes))
    }

    @Test
    func everythingThatLedToADecisionIsTold() throws {
        let told = try explained(
            #"{"http":{"status":500,"headers":{"Retry-After":"x"}}}"#)
        #expect(told["phase"] == "status")
        #expect(told["description"] == .null)
        #expect(told["gate"] == "open: the attempt certainly had no effect")
        #expect(
            told["considered"] == [
                [
                    "rule": "busy", "phase": "status", "file": "/etc/r.toml", "line": 6,
                    "mismatch": "http.status is 500, not 429", "cause": nil,
                ],
                [
                    "rule": "once", "phase": "status", "file": "/etc/r.toml", "line": 13,
                    "mismatch": nil, "cause": nil,
                ],
            ])
        #expect(
            told["evidence"].elements.contains(["path": "http.status", "value": "500"]))
        #expect(told["causes"] == [])
        #expect(
            told["schedule"] == [
                "attempts": [
                    [
                        "attempt": 2, "delay_ms_min": 1_000, "delay_ms_max": 10_000,
                        "earliest_usec": 1_772_366_401_000_000,
                        "latest_usec": 1_772_366_410_000_000,
                    ]
                ], "end": "limit",
            ])
    }

    @Test
    func hintsAreToldWhetherUsedOrNot() throws {
        let used = try explained(#"{"http":{"status":429,"headers":{"Retry-After":"7"}}}"#)
        #expect(
            used["hints"] == [
                [
                    "name": "retry-after", "path": "http.headers.retry-after", "value": "'7'",
                    "wait_s": 7, "usable": true,
                ]
            ])
        #expect(used["source"] == "RFC 6585")
        let useless = try explained(#"{"http":{"status":429,"headers":{"Retry-After":"x"}}}"#)
        #expect(useless["hints"][0]["usable"] == false)
        #expect(useless["hints"][0]["wait_s"] == .null)
    }

    @Test
    func rulesAreToldInFull() throws {
        let rules = bench.explainer.rules
        let number = try #require(rules.rules.firstIndex { $0.name == "once" })
        var writer = JSONWriter()
        writer.ruleInFull(number, rules)
        let parser = JSONParser(lengthMax: 1 << 20, depthMax: 32)
        let told = Value(try parser.parse(writer.bytes))
        #expect(told["decision"] == "retry")
        #expect(told["policy"] == "quick")
        #expect(told["when"] == [["http.status is 500"]])
        #expect(told["limit"] == 1)
        #expect(told["after_limit"] == "permanent introspect-cause")
        #expect(told["applied"] == "no")
    }
}
