import JSON
import RetryClient
import Support
import SystemKit
import Testing

@Suite struct ReplyStreamTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = "\(directory.path)/socket"
    }

    @Test func givesEventsAndEnds() throws {
        let summary = Replies.summary(id: 3)
        let peer = try FakePeer(path: path) { _ in
            [
                .continues(#"{"event":"present","at_usec":1,"operation":\#(summary)}"#),
                .continues(#"{"event":"settled","at_usec":2}"#),
                .reply(#"{"event":"removed","at_usec":3}"#),
            ]
        }
        defer { peer.stop() }
        let client = RetryClient(path: path)
        var filter = OperationFilter()
        filter.queue = "mail"
        filter.states = ["held", "ready"]
        let stream = try client.watch(filter)
        var events: [String] = []
        var ids: [Int64?] = []
        while case .item(let event) = try stream.nextEvent(timeoutMs: 5_000) {
            events.append(event.event)
            ids.append(event.operation?.id)
        }
        #expect(events == ["present", "settled", "removed"])
        #expect(ids == [3, nil, nil])
        guard case .ended = try stream.nextEvent() else {
            Issue.record("the stream has ended")
            return
        }
        #expect(peer.requests[0].more)
        #expect(
            peer.requests[0].parameters
                == #"{"filter":{"queue":"mail","state":["held","ready"]}}"#)
    }

    @Test func saysWhenThereIsNothingYet() throws {
        let peer = try FakePeer(path: path) { _ in [.continues(#"{"operations":[]}"#)] }
        defer { peer.stop() }
        let stream = try RetryClient(path: path).leaseStream(queues: ["q"], max: 2)
        guard case .item(let leased) = try stream.nextLeased(timeoutMs: 5_000) else {
            Issue.record("an answer was sent")
            return
        }
        #expect(leased.isEmpty)
        for timeoutMs in [0, 20] as [Int64] {
            guard case .nothingYet = try stream.nextLeased(timeoutMs: timeoutMs) else {
                Issue.record("nothing was sent")
                return
            }
        }
    }

    @Test func throwsTheErrorThatEndsIt() throws {
        let peer = try FakePeer(path: path) { _ in
            [
                .continues(#"{"operations":[\#(Replies.leased(id: 4, token: 9))]}"#),
                .error("io.retryd.PermissionDenied", #"{"reason":"not your queue"}"#),
            ]
        }
        defer { peer.stop() }
        let stream = try RetryClient(path: path).leaseStream(queues: ["q"], max: 2)
        guard case .item(let leased) = try stream.nextLeased(timeoutMs: 5_000) else {
            Issue.record("an answer was sent")
            return
        }
        #expect(leased.map(\.id) == [4])
        #expect(leased[0].token == 9)
        #expect(leased[0].payload == .text("hello"))
        #expect(leased[0].isIdempotent == nil)
        #expect(leased[0].tags == ["a"])
        let error = #expect(throws: ClientError.self) { try stream.nextLeased(timeoutMs: 5_000) }
        #expect(error?.code == .permissionDenied)
        #expect(error?.description == "not permitted: not your queue")
    }

    @Test func callsGoOnBesideAStream() throws {
        let peer = try FakePeer(path: path) { request in
            request.more ? [.continues(#"{"operations":[]}"#)] : [.reply(#"{"until_usec":7}"#)]
        }
        defer { peer.stop() }
        let client = RetryClient(path: path)
        let stream = try client.leaseStream(queues: ["q"], max: 1)
        #expect(try client.extend(1, token: 2) == 7)
        guard case .item = try stream.nextLeased(timeoutMs: 5_000) else {
            Issue.record("an answer was sent")
            return
        }
        #expect(Set(peer.requests.map(\.connection)) == [0, 1])
    }

    @Test func isReadableWhenThereIsSomething() throws {
        let peer = try FakePeer(path: path) { _ in [.continues(#"{"operations":[]}"#)] }
        defer { peer.stop() }
        let stream = try RetryClient(path: path).leaseStream(queues: ["q"], max: 1)
        #expect(try Syscalls.wait(for: stream.fileDescriptor, .readable, timeoutMs: 5_000))
        guard case .item = try stream.nextLeased(timeoutMs: 0) else {
            Issue.record("the stream is readable")
            return
        }
        #expect(try Syscalls.wait(for: stream.fileDescriptor, .readable, timeoutMs: 0) == false)
    }

    @Test func aLostConnectionIsAnError() throws {
        let peer = try FakePeer(path: path) { _ in [.continues(#"{"operations":[]}"#), .close] }
        defer { peer.stop() }
        let stream = try RetryClient(path: path).leaseStream(queues: ["q"], max: 1)
        _ = try stream.nextLeased(timeoutMs: 5_000)
        let error = #expect(throws: ClientError.self) { try stream.nextLeased(timeoutMs: 5_000) }
        #expect(error?.code == .connectionLost)
    }
}
