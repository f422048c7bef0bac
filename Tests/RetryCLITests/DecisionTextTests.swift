import JSON
import RetryClient
import Testing

@testable import RetryCLI

@Suite struct DecisionTextTests {
    private let nowUsec: Int64 = 1_700_000_000_000_000

    private func decision(_ members: String) throws -> ToldDecision {
        let parser = JSONParser(lengthMax: 4_096, depthMax: 8)
        defer { withExtendedLifetime(parser) {} }
        return try ToldDecision(
            parser.parse(Array("{\"clamped\":false,\"policy\":\"default\",\(members)}".utf8)))
    }

    @Test func aRetry() throws {
        let decision = try decision(
            #""disposition":"retry","condition":"now","rule":"r","outcome":"waiting","#
                + #""due_usec":1700000002000000"#)
        let moment = TimeText.absolute(1_700_000_002_000_000)
        #expect(DecisionText.meaning(decision) == "a failure that may pass (rule r)")
        #expect(DecisionText.next(decision, nowUsec: nowUsec) == "tried again in 2s (\(moment))")
        #expect(DecisionText.short(decision) == "retry now, r")
    }

    @Test func whatTheServerAskedFor() throws {
        let told = #""disposition":"retry","rule":"r","outcome":"waiting","retry_after_s":90.5"#
        #expect(
            DecisionText.next(try decision(told), nowUsec: nowUsec)
                == "tried again soon; the server asked for 1min 30s")
        var clamped = try decision(told)
        clamped.isClamped = true
        #expect(
            DecisionText.next(clamped, nowUsec: nowUsec)
                == "tried again soon; the server asked for 1min 30s, which is more than the policy "
                + "takes")
    }

    @Test(arguments: [
        ("when-foreground", "waits for its user to be at the screen, at the earliest in 1s"),
        ("network", "waits for the network, at the earliest in 1s"),
        ("custom:vpn", "waits for the signal custom:vpn, at the earliest in 1s"),
    ])
    func aCondition(condition: String, text: String) throws {
        let decision = try decision(
            #""disposition":"retry","condition":"\#(condition)","rule":"r","outcome":"waiting","#
                + #""due_usec":1700000001000000"#)
        #expect(DecisionText.next(decision, nowUsec: nowUsec).hasPrefix(text))
    }

    @Test(arguments: [
        (
            #""disposition":"permanent","action":"modify-configuration","outcome":"dead","#
                + #""cause":"permanent""#,
            "given up (permanent): correct the configuration, then \"retryctl retry\" it"
        ),
        (
            #""disposition":"new-flow","outcome":"parked","cause":"new-flow""#,
            "parked (new-flow): its owner must start the flow anew"
        ),
        (
            #""disposition":"retry","outcome":"dead","cause":"attempts-exhausted""#,
            "given up (attempts-exhausted): \"retryctl retry\" tries it again"
        ),
        (
            #""disposition":"reauthenticate","outcome":"waiting""#,
            "waits for the sign-in to be renewed"
        ),
    ])
    func whatIsNotTriedAgain(members: String, text: String) throws {
        #expect(DecisionText.next(try decision(members), nowUsec: nowUsec) == text)
    }

    @Test func nothingKnown() throws {
        let decision = try decision(
            #""disposition":"permanent","action":"introspect-cause","outcome":"dead""#)
        #expect(DecisionText.meaning(decision) == "a permanent failure (no rule knows it)")
        #expect(DecisionText.short(decision) == "permanent introspect-cause, no rule")
    }
}
