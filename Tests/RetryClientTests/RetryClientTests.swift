import JSON
import RetryClient
import Support
import SystemKit
import Testing

@Suite struct RetryClientTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = "\(directory.path)/socket"
    }

    private func peer(
        _ handler: @escaping @Sendable (FakePeer.Request) -> [FakePeer.Answer]
    ) throws -> FakePeer {
        try FakePeer(path: path, handler: handler)
    }

    @Test func submitsAnOperation() throws {
        let peer = try peer { _ in [.reply(Replies.submitted())] }
        defer { peer.stop() }
        var operation = OperationDraft(queue: "mail")
        operation.key = "a\"b"
        operation.payload = .bytes([0, 255])
        operation.tags = ["x"]
        operation.isIdempotent = false
        operation.unknown = .retry
        let submitted = try RetryClient(path: path).submit(
            operation, failure: RawJSON(Array(#"{"http":{"status":503}}"#.utf8)))
        #expect(submitted.id == 17)
        #expect(submitted.state == "scheduled")
        #expect(submitted.decision?.rule == "http-unavailable")
        #expect(submitted.decision?.retryAfterS == 2.5)
        #expect(submitted.decision?.delayMs == 2_000)
        #expect(submitted.dueUsec == 1_700_000_002_000_000)
        #expect(submitted.isExisting == false)
        #expect(peer.requests.map(\.method) == ["io.retryd.Submit"])
        #expect(
            peer.requests[0].parameters
                == #"{"operation":{"queue":"mail","key":"a\"b","payload_base64":"AP8=","#
                + #""tags":["x"],"idempotent":false,"unknown":"retry"},"#
                + #""failure":{"http":{"status":503}}}"#)
    }

    @Test func takesAnswersInTheOrderOfTheCalls() throws {
        let peer = try peer { [.reply("{\"got\":\($0.parameters)}")] }
        defer { peer.stop() }
        let client = RetryClient(path: path)
        for number in 0..<100 as Range<Int64> {
            try client.send("x.Y") { writer in
                writer.name("n")
                writer.integer(number)
            }
        }
        for number in 0..<100 as Range<Int64> {
            #expect(try client.receive()?["got"]?["n"]?.integer == number)
        }
        #expect(Set(peer.requests.map(\.connection)) == [0])
    }

    /// Calls and answers that fit into no socket buffer: whoever only sends would wait for ever.
    @Test func doesNotLockUpWhenBothSidesAreFull() throws {
        let peer = try peer { [.reply("{\"got\":\($0.parameters)}")] }
        defer { peer.stop() }
        let client = RetryClient(path: path, options: CallOptions(timeoutMs: 20_000))
        let filler = String(repeating: "x", count: 100_000)
        for number in 0..<40 as Range<Int64> {
            try client.send("x.Y") { writer in
                writer.name("n")
                writer.integer(number)
                writer.name("filler")
                writer.string(filler)
            }
        }
        for number in 0..<40 as Range<Int64> {
            #expect(try client.receive()?["got"]?["n"]?.integer == number)
        }
    }

    @Test func readsAnAnswerThatComesByteByByte() throws {
        let bytes = Array("{\"parameters\":\(Replies.submitted(id: 5))}\0".utf8)
        let peer = try peer { _ in [.slowly(bytes)] }
        defer { peer.stop() }
        let submitted = try RetryClient(path: path).submit(OperationDraft(queue: "q"), failure: nil)
        #expect(submitted.id == 5)
    }

    @Test func aDaemonErrorLeavesTheConnection() throws {
        let peer = try peer { request in
            request.method == "io.retryd.Get"
                ? [.error("io.retryd.NoSuchOperation", #"{"id":9}"#)]
                : [.reply(#"{"count":1}"#)]
        }
        defer { peer.stop() }
        let client = RetryClient(path: path)
        let error = #expect(throws: ClientError.self) { try client.get(9) }
        #expect(error?.code == .noSuchOperation)
        #expect(error?.parameters?.string == #"{"id":9}"#)
        #expect(
            error?.description
                == "operation 9: there is none, or none that you may see; \"retryctl list\" shows "
                + "yours")
        #expect(try client.cancel(.id(9)) == 1)
        #expect(peer.requests.map(\.connection) == [0, 0])
    }

    // MARK: A daemon that goes away

    @Test func saysThatNobodyListens() {
        let error = #expect(throws: ClientError.self) { try RetryClient(path: path).status() }
        #expect(error?.code == .notRunning)
        #expect(
            error?.description.hasPrefix("no retryd at \(path): there is no such socket; start it")
                == true)
    }

    @Test func saysThatTheSocketIsDead() throws {
        // A file that a killed daemon left behind.
        _ = try UnixSocket.listen(path: path, mode: 0o600)
        let error = #expect(throws: ClientError.self) { try RetryClient(path: path).status() }
        #expect(error?.code == .notRunning)
        #expect(error?.description.contains("nobody answers on the socket") == true)
    }

    @Test func saysThatTheAnswerIsLate() throws {
        let peer = try peer { _ in [] }
        defer { peer.stop() }
        let client = RetryClient(path: path, options: CallOptions(timeoutMs: 30))
        let error = #expect(throws: ClientError.self) { try client.status() }
        #expect(error?.code == .timedOut)
    }

    @Test(arguments: [
        "{\"parameters\":3}\0", "nonsense\0", "[]\0", "{\"parameters\":{}}\0{}\0", "{\"id\":1}\0",
        "{}\0",
    ])
    func refusesStrangers(answer: String) throws {
        let peer = try peer { _ in [.bytes(Array(answer.utf8))] }
        defer { peer.stop() }
        let client = RetryClient(path: path)
        let error = #expect(throws: ClientError.self) { try client.cancel(.id(1)) }
        #expect(error?.code == .malformedReply)
    }

    @Test func repeatsWhatMayBeRepeated() throws {
        let peer = try peer { request in
            request.connection == 0 ? [.close] : [.reply(#"{"count":3}"#)]
        }
        defer { peer.stop() }
        let client = RetryClient(path: path, options: CallOptions(reconnectMs: 5_000))
        #expect(try client.cancel(.id(1)) == 3)
        #expect(peer.requests.map(\.connection) == [0, 1])
    }

    @Test func doesNotRepeatASubmitWithoutKey() throws {
        let peer = try peer { _ in [.close] }
        defer { peer.stop() }
        let client = RetryClient(path: path, options: CallOptions(reconnectMs: 5_000))
        let error = #expect(throws: ClientError.self) {
            try client.submit(OperationDraft(queue: "q"), failure: nil)
        }
        #expect(error?.code == .connectionLost)
        #expect(peer.requests.count == 1)
    }

    @Test func repeatsASubmitWithKey() throws {
        let peer = try peer { request in
            request.connection == 0 ? [.close] : [.reply(Replies.submitted())]
        }
        defer { peer.stop() }
        let client = RetryClient(path: path, options: CallOptions(reconnectMs: 5_000))
        var operation = OperationDraft(queue: "q")
        operation.key = "k"
        #expect(try client.submit(operation, failure: nil).id == 17)
    }

    @Test func comesBackWhenTheDaemonRestarted() throws {
        let first = try peer { _ in [.reply(#"{"count":1}"#)] }
        let client = RetryClient(path: path)
        #expect(try client.cancel(.id(1)) == 1)
        first.stop()
        let second = try peer { _ in [.reply(#"{"count":2}"#)] }
        defer { second.stop() }
        // Nothing was under way, so even a call that may not be repeated goes through.
        #expect(try client.call("x.Y", isRepeatable: false)?["count"]?.integer == 2)
    }

    @Test func waitsForADaemonThatStarts() throws {
        let path = path
        let client = RetryClient(path: path, options: CallOptions(reconnectMs: 10_000))
        let later = try Thread.spawn(name: "later") {
            Clocks.sleep(ms: 120)
            _ = try? FakePeer(path: path) { _ in [.reply(#"{"count":4}"#)] }
        }
        defer { later.join() }
        #expect(try client.cancel(.id(1)) == 4)
    }

    @Test func givesUpWaitingInTime() {
        let client = RetryClient(path: path, options: CallOptions(reconnectMs: 150))
        let begunUsec = Clocks.monotonicUsec()
        let error = #expect(throws: ClientError.self) { try client.status() }
        let tookMs = (Clocks.monotonicUsec() - begunUsec) / 1_000
        #expect(error?.code == .notRunning)
        #expect(tookMs >= 150 && tookMs < 2_000)
    }

    @Test func aOnewayCallExpectsNothing() throws {
        let peer = try peer { $0.oneway ? [] : [.reply(#"{"count":1}"#)] }
        defer { peer.stop() }
        let client = RetryClient(path: path)
        try client.sendOneway(named: "x.Y", parameters: RawJSON(Array(#"{"a":1}"#.utf8)))
        #expect(try client.cancel(.id(1)) == 1)
        #expect(peer.requests.map(\.oneway) == [true, false])
        #expect(peer.requests[0].parameters == #"{"a":1}"#)
    }
}
