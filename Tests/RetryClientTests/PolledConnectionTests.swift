import RetryClient
import Support
import SystemKit
import Testing

@Suite struct PolledConnectionTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = "\(directory.path)/socket"
    }

    /// As a loop does, until every answer has come.
    private func serve(_ connection: PolledConnection) throws {
        while connection.outstanding > 0 {
            _ = try connection.send()
            #expect(
                try Syscalls.wait(for: connection.fileDescriptor, .readable, timeoutMs: 5_000))
            try connection.receive()
        }
    }

    @Test func answersComeToTheirHandlersInOrder() throws {
        let operation = Replies.leased(id: 4)
        let peer = try FakePeer(path: path) { request in
            switch request.method {
            case "io.retryd.Lease":
                [.slowly(Array(#"{"parameters":{"operations":[\#(operation)]}}"#.utf8) + [0])]
            case "io.retryd.Extend": [.reply(#"{"until_usec":1700000060000000}"#)]
            case _: [.error("io.retryd.StaleLease", #"{"id":4,"state":"cancelled"}"#)]
            }
        }
        defer { peer.stop() }
        let connection = try PolledConnection(path: path)
        var seen: [String] = []
        connection.lease(queues: ["mail"], max: 3, waitMs: 1_000) { answer in
            seen.append("lease \(try answer.get().map(\.id))")
            // Calls made meanwhile go behind those in line.
            connection.report(4, token: 1, .succeeded, leaseNext: 2) { answer in
                guard case .failure(let error) = answer else { return }
                seen.append("report \(error.code.rawValue)")
            }
        }
        connection.extend(4, token: 1, holderProcessID: 99) { answer in
            seen.append("extend \(try answer.get())")
        }
        #expect(connection.outstanding == 2)
        try serve(connection)
        #expect(
            seen == [
                "lease [4]", "extend 1700000060000000", "report io.retryd.StaleLease",
            ])
        #expect(
            peer.requests.map(\.parameters) == [
                #"{"queues":["mail"],"max":3,"wait_ms":1000}"#,
                #"{"id":4,"token":1,"holder_pid":99}"#,
                #"{"id":4,"token":1,"outcome":"succeeded","lease_next":2}"#,
            ])
    }

    @Test func nothingWaits() throws {
        let peer = try FakePeer(path: path) { _ in [] }
        defer { peer.stop() }
        let connection = try PolledConnection(path: path)
        connection.release(4, token: 1, delayMs: 5) { _ in }
        #expect(try connection.send())
        try connection.receive()
        #expect(connection.outstanding == 1)
    }

    @Test func aPeerThatDoesNotReadFillsTheSocket() throws {
        let listener = try UnixSocket.listen(path: path, mode: 0o600)
        let connection = try PolledConnection(path: path)
        let large = RawJSON(Array("\"\(String(repeating: "x", count: 1 << 20))\"".utf8))
        connection.report(4, token: 1, .failed(large), leaseNext: 0) { _ in }
        #expect(try connection.send() == false)
        _ = consume listener
        #expect(throws: ClientError.self) { try connection.send() }
    }

    @Test func theEndOfTheConnectionIsAnError() throws {
        let peer = try FakePeer(path: path) { _ in [.close] }
        defer { peer.stop() }
        let connection = try PolledConnection(path: path)
        connection.release(4, token: 1, delayMs: 5) { _ in }
        let error = #expect(throws: ClientError.self) { try serve(connection) }
        #expect(error?.code == .connectionLost)
    }

    @Test func anAnswerThatIsNotUnderstoodIsToldToItsHandler() throws {
        let peer = try FakePeer(path: path) { _ in [.reply(#"{"until_usec":"soon"}"#)] }
        defer { peer.stop() }
        let connection = try PolledConnection(path: path)
        var code: ClientError.Code?
        connection.extend(4, token: 1, holderProcessID: 1) { answer in
            if case .failure(let error) = answer { code = error.code }
        }
        try serve(connection)
        #expect(code == .malformedReply)
    }
}
