import RetryModel
import Testing
import Varlink

@testable import RetryDaemon

/// Every member of a filter must match.
@Suite
struct FilterParametersTests {
    private static let lane = Lane(
        owner: 1_000, group: 100, queue: "mail", kind: .custom, destination: "mx.example",
        credential: "oauth:a", scope: "user:1000")

    private func filter(_ json: String) throws -> FilterParameters {
        try Parsing.value(json) { try FilterParameters($0) }
    }

    @Test(arguments: [
        ("{}", true), (#"{"queue": "mail"}"#, true), (#"{"queue": "mai"}"#, false),
        (#"{"kind": "custom"}"#, true), (#"{"kind": "http"}"#, false),
        (#"{"owner_uid": 1000}"#, true), (#"{"owner_uid": 0}"#, false),
        (#"{"destination": "mx.example"}"#, true), (#"{"destination": "other"}"#, false),
        (#"{"credential": "oauth:a"}"#, true), (#"{"credential": "oauth:b"}"#, false),
        (#"{"queue": "mail", "owner_uid": 1}"#, false),
    ])
    func lanesMatch(json: String, matches: Bool) throws {
        #expect(try filter(json).matches(lane: FilterParametersTests.lane) == matches)
    }

    @Test
    func statesAndRulesMatch() throws {
        let filter = try filter(#"{"state": ["dead", "held"], "rule": "http-gateway"}"#)
        #expect(filter.matches(.dead, rule: "http-gateway"))
        #expect(filter.matches(.held, rule: "http-gateway"))
        #expect(!filter.matches(.ready, rule: "http-gateway"))
        #expect(!filter.matches(.dead, rule: nil))
        #expect(try self.filter("{}").matches(.ready, rule: nil))
    }

    @Test(arguments: [
        (#"{"stat": ["dead"]}"#, "stat: no such parameter"),
        (
            #"{"state": ["deat"]}"#,
            "state: no state `deat`; there are scheduled, held, ready, leased, parked, dead, "
                + "succeeded, cancelled"
        ),
        (#"{"kind": "mail"}"#, "kind: one of custom, command, unit, http is needed"),
        (#"{"owner_uid": -1}"#, "owner_uid: from 0 to 4294967295, not -1"),
        (#"{"key": ""}"#, "key: it is empty"),
    ])
    func whatIsWrongIsNamed(json: String, reason: String) throws {
        #expect(try Parsing.refusal { _ = try filter(json) } == reason)
    }
}
