import JSON
import RetryModel
import RetryRules
import Testing

/// Bad documents get a verdict or a named error, never a crash.
@Suite struct FuzzTests {
    /// SplitMix64: the same seed gives the same documents.
    private struct Dice {
        var state: UInt64

        mutating func roll(_ sides: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int((mixed ^ (mixed >> 31)) % UInt64(sides))
        }
    }

    private static let values = [
        "null", "true", "false", "0", "-1", "1", "409", "1e308", "-0.0", "9223372036854775807",
        "-9223372036854775808", "18446744073709551615", "1.5", #""""#, #""x""#, #""409""#,
        #""-5""#, #""\u0000""#, #""ERR x""#, #""Sun, 01 Mar 2026 12:02:00 GMT""#,
        #""a=b&error=invalid_grant""#, #""{\"error\":{\"code\":4}}""#, #""{""#, "[]", "{}",
        "[[]]", #"["a",1,null]"#, #"[["Retry-After","5"]]"#, #"{"domain":"NSURLErrorDomain"}"#,
        #"{"code":-1009,"domain":5}"#, #""é漢字🎉""#, #""99999999999999999999999999999""#,
    ]

    private static let names = [
        "request", "method", "idempotent", "idempotency_key", "bytes_sent", "received_at",
        "http", "status", "headers", "body", "Retry-After", "x-ratelimit-remaining",
        "x-ratelimit-reset", "WWW-Authenticate", "error", "code", "error_subcode", "oauth",
        "redirect_params", "interval", "haapi", "case", "class", "recovery", "kind", "condition",
        "cause", "process", "program", "exit_code", "signal", "stderr_tail", "args", "errno",
        "name", "number", "platform", "gai", "nserror", "domain", "userInfo", "underlying",
        "NSUnderlyingError", "grpc", "metadata", "details", "smtp", "sql", "sqlstate", "redis",
        "aws", "dns", "rcode", "tls", "alert", "dbus", "sdk", "batch", "graph", "",
    ]

    private func document(_ dice: inout Dice, depth: Int) -> String {
        if depth == 0 || dice.roll(4) == 0 { return Self.values[dice.roll(Self.values.count)] }
        let count = dice.roll(6)
        if dice.roll(8) == 0 {
            let elements = (0..<count).map { _ in document(&dice, depth: depth - 1) }
            return "[\(elements.joined(separator: ","))]"
        }
        let members = (0..<count).map { _ in
            #""\#(Self.names[dice.roll(Self.names.count)])":\#(document(&dice, depth: depth - 1))"#
        }
        return "{\(members.joined(separator: ","))}"
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func randomDocumentsGetOneVerdict(seed: UInt64) throws {
        var dice = Dice(state: seed)
        let judge = Judge()
        for _ in 0..<500 {
            let json =
                "{"
                + (0..<4).map { _ in
                    #""\#(Self.names[dice.roll(Self.names.count)])":\#(document(&dice, depth: 6))"#
                }.joined(separator: ",") + "}"
            let verdict = try judge.verdict(json)
            #expect(try judge.verdict(json) == verdict, "seed \(seed): \(json)")
            #expect(try judge.explanation(json).verdict == verdict, "seed \(seed): \(json)")
        }
    }

    /// Cases with bytes changed, dropped and doubled: most are no JSON any more.
    @Test func mutatedCasesAreDecidedOrRefused() throws {
        var dice = Dice(state: 7)
        let text = bytes(ofFile: treePath("Tests/RetryRulesTests/Cases/classification.jsonl"))
        let parser = JSONParser(lengthMax: 1 << 20, depthMax: Limits.failureDepthMax)
        let classifier = Classifier(shippedRules)
        var refused = 0
        var decided = 0
        for line in text.split(separator: 0x0A) {
            for _ in 0..<20 {
                var mutated = Array(line)
                for _ in 0...dice.roll(3) {
                    let index = dice.roll(mutated.count)
                    switch dice.roll(3) {
                    case 0: mutated[index] = UInt8(dice.roll(256))
                    case 1: mutated.remove(at: index)
                    case _: mutated.insert(mutated[index], at: index)
                    }
                }
                guard let value = try? parser.parse(mutated) else {
                    refused += 1
                    continue
                }
                let failure = value["failure"] ?? value
                _ = classifier.classify(failure, ClassifierOptions(now: noon))
                var writer = JSONWriter()
                Redactor.write(failure, to: &writer)
                _ = try parser.parse(writer.bytes)
                decided += 1
            }
        }
        #expect(refused > 100)
        #expect(decided > 100)
    }

    @Test(arguments: [
        "", "{", "nul", #"{"a":1e999999}"#, #"{"a":123456789012345678901234567890}"#,
        "{\"a\":\"\u{1}\"}", #"{"a":"\ud800"}"#,
    ])
    func whatIsNoDocumentIsRefusedByName(json: String) {
        #expect(throws: JSONError.self) { try Judge().verdict(json) }
    }

    @Test func invalidUTF8IsRefusedByName() {
        let parser = JSONParser(lengthMax: 1 << 10, depthMax: 32)
        #expect(throws: JSONError.self) {
            try parser.parse([0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0x31, 0x7D])
        }
    }

    @Test func depthIsBounded() throws {
        let deep = String(repeating: #"{"a":"#, count: 33) + "1" + String(repeating: "}", count: 33)
        #expect(throws: JSONError.self) { try Judge().verdict(deep) }
        let allowed =
            String(repeating: #"{"a":"#, count: 30) + "1" + String(repeating: "}", count: 30)
        #expect(try Judge().verdict(allowed).rule == nil)
    }

    @Test func megabyteStringsAreBounded() throws {
        let judge = Judge()
        let long = String(repeating: "x", count: 1 << 20)
        for path in ["message", "process", "redis"] {
            #expect(try judge.verdict(#"{"\#(path)":"\#(long)"}"#).rule == nil)
        }
        #expect(
            try judge.decision(#"{"http":{"status":404,"body":"{\"a\":\"\#(long)\"}"}}"#)
                == "http-not-there: permanent introspect-cause")
        // A long text is searched at its end, where a tail has its last words.
        let tail =
            """
            {"process":{"program":"ssh","exit_code":255,
            "stderr_tail":"\(long) Host key verification failed."}}
            """
        #expect(try judge.decision(tail) == "ssh-host-key: permanent modify-configuration")
        #expect(
            try judge.decision(#"{"haapi":{"case":"\#(long)"}}"#)
                == "haapi-unknown: permanent introspect-cause")
    }
}
