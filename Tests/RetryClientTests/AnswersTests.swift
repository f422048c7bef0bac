import JSON
import Support
import Testing

@testable import RetryClient

@Suite struct AnswersTests {
    private let parser = JSONParser(lengthMax: 1 << 16, depthMax: 16)

    private func value(_ text: String) throws -> JSONValue {
        try parser.parse(Array(text.utf8))
    }

    @Test func readsASummary() throws {
        let summary = try OperationSummary(value(Replies.summary(id: 8, key: "k")))
        #expect(summary.id == 8)
        #expect(summary.key == "k")
        #expect(summary.reason == "backoff-until")
        #expect(summary.untilUsec == 1_700_000_002_000_000)
        #expect(summary.isLive)
    }

    @Test func readsDetails() throws {
        let details = try OperationDetails(
            value(
                #"{"operation":\#(Replies.summary(id: 8)),"payload":{"a":[1]},"#
                    + #""failure":{"http":{"status":503}},"decision":\#(Replies.decision),"#
                    + #""primary":\#(Replies.reason),"new_member":1}"#))
        #expect(details.payload == .json(RawJSON(Array(#"{"a":[1]}"#.utf8))))
        #expect(details.failure?.string == #"{"http":{"status":503}}"#)
        #expect(details.decision?.outcome == "waiting")
        #expect(details.primary.next == "tried again by itself")
    }

    @Test func readsStatus() throws {
        let status = try DaemonStatus(
            value(
                #"{"version":"1","pid":5,"sentence":"idle","started_usec":1,"store":"serving","#
                    + #""counts":{"scheduled":2,"dead":1},"log_level":"info","#
                    + #""connections":1,"rules":3,"rules_hash":"ab","memory_bytes":4096}"#))
        #expect(status.counts.map(\.name) == ["scheduled", "dead"])
        #expect(status.counts.map(\.count) == [2, 1])
        #expect(status.nextUsec == nil)
    }

    @Test func namesTheMemberThatIsWrong() throws {
        let error = #expect(throws: ClientError.self) {
            try Submitted(value(#"{"id":"17","state":"held"}"#))
        }
        #expect(error?.code == .malformedReply)
        #expect(error?.description.contains("\"id\" should be an integer") == true)
        let payload = #expect(throws: ClientError.self) {
            try OperationDraft.Payload(in: value(#"{"payload_base64":"?"}"#))
        }
        #expect(payload?.code == .malformedReply)
    }
}
