import JSON
import Synchronization
import SystemKit
import Varlink

/// A Varlink service for tests of clients: it listens on a socket of its own and answers each call
/// as the test says.
package final class FakePeer: Sendable {
    package struct Request: Sendable {
        /// Number of the connection it came on, from 0.
        package let connection: Int
        /// Of all calls, from 0.
        package let number: Int
        package let method: String
        /// As JSON; "{}" where there were none.
        package let parameters: String
        package let more: Bool
        package let oneway: Bool
    }

    package enum Answer: Sendable {
        /// `{"parameters":…}`
        case reply(String)
        /// The same with `continues`.
        case continues(String)
        case error(String, String)
        /// Whatever bytes.
        case bytes([UInt8])
        /// Bytes one by one, so that the reader sees every boundary.
        case slowly([UInt8])
        /// The connection ends.
        case close
    }

    package let path: String
    private let handler: @Sendable (Request) -> [Answer]
    private let state = Mutex(State())

    private struct State {
        var requests: [Request] = []
        var isStopped = false
    }

    /// - Parameter handler: what to answer to a call; nothing leaves the caller waiting.
    package init(path: String, handler: @escaping @Sendable (Request) -> [Answer]) throws {
        self.path = path
        self.handler = handler
        let listener = try UnixSocket.listen(path: path, mode: 0o600).release()
        _ = try Thread.spawn(name: "fake-peer") { self.accept(on: OwnedFD(adopting: listener)) }
    }

    /// All calls that came, in the order they were read.
    package var requests: [Request] { state.withLock(\.requests) }

    /// Closes the socket and every connection. What is connected notices.
    package func stop() {
        state.withLock { $0.isStopped = true }
        // The threads look every 10 ms.
        Clocks.sleep(ms: 40)
        _ = try? Files.remove(path)
    }

    private var isStopped: Bool { state.withLock(\.isStopped) }

    private func accept(on listener: consuming OwnedFD) {
        var count = 0
        while !isStopped {
            _ = try? Syscalls.wait(for: listener.rawValue, .readable, timeoutMs: 10)
            guard let accepted = try? UnixSocket.accept(listener.rawValue) else { return }
            switch consume accepted {
            case .connection(let connection):
                let descriptor = connection.release()
                let number = count
                count += 1
                _ = try? Thread.spawn(name: "fake-connection") {
                    self.serve(number, OwnedFD(adopting: descriptor))
                }
            case .wouldBlock: continue
            case .exhausted: continue
            }
        }
    }

    private func serve(_ number: Int, _ connection: consuming OwnedFD) {
        var splitter = FrameSplitter(frameBytesMax: 1 << 20, readBytesMax: 1 << 16)
        let parser = JSONParser(lengthMax: 1 << 20, depthMax: 64)
        let socket = connection.rawValue
        while !isStopped {
            do {
                while let frame = try splitter.next() {
                    let call = try Call(parser.parse(padded: frame))
                    guard try answer(call, number, on: socket) else { return }
                }
                guard try Syscalls.wait(for: socket, .readable, timeoutMs: 10) else { continue }
                switch try Syscalls.receive(socket, into: splitter.freeSpace()) {
                case .count(let count): splitter.filled(count)
                case .wouldBlock: continue
                case .end: return
                }
            } catch {
                return
            }
        }
    }

    /// - Returns: false when the connection is to end.
    private func answer(_ call: Call, _ number: Int, on socket: Int32) throws -> Bool {
        var parameters = JSONWriter()
        if let value = call.parameters { parameters.value(value) }
        let text = String(decoding: parameters.bytes, as: UTF8.self)
        let method = call.method.string
        let more = call.more
        let oneway = call.oneway
        let request = state.withLock { state in
            let request = Request(
                connection: number, number: state.requests.count, method: method,
                parameters: text.isEmpty ? "{}" : text, more: more, oneway: oneway)
            state.requests.append(request)
            return request
        }
        for answer in handler(request) {
            switch answer {
            case .reply(let json): try send(Array("{\"parameters\":\(json)}\0".utf8), socket)
            case .continues(let json):
                try send(Array("{\"parameters\":\(json),\"continues\":true}\0".utf8), socket)
            case .error(let name, let json):
                try send(Array("{\"error\":\"\(name)\",\"parameters\":\(json)}\0".utf8), socket)
            case .bytes(let bytes): try send(bytes, socket)
            case .slowly(let bytes):
                for byte in bytes { try send([byte], socket) }
            case .close: return false
            }
        }
        return true
    }

    private func send(_ bytes: [UInt8], _ socket: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch try rest.withUnsafeBytes({ try Syscalls.send(socket, from: $0) }) {
            case .count(let count): rest = rest.dropFirst(count)
            case .wouldBlock: _ = try Syscalls.wait(for: socket, .writable, timeoutMs: 1_000)
            case .end: return
            }
        }
    }
}
