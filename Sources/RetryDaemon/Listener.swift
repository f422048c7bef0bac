import RetryModel
import SystemKit

/// The socket clients connect to: passed by systemd, or made here.
final class Listener {
    private let socket: OwnedFD
    let path: String
    /// Made here, so removed at the end. A passed one stays systemd's and keeps its queue.
    private let isOwn: Bool
    /// No descriptor was left at the last try, and the journal knows.
    private var isExhausted = false

    var descriptor: Int32 { socket.rawValue }

    /// - Parameter passed: What systemd passed to this process.
    init(_ path: String, passed: [ListenFD], _ journal: Journalist) throws {
        let sockets = passed.filter(\.isListeningUnixStream)
        for other in passed where !sockets.contains(other) {
            journal.warning(
                "systemd passed \(other.name), which is no listening Unix stream socket; "
                    + "see ListenStream= of retryd.socket")
        }
        if let first = sockets.first(where: { $0.name == "varlink" }) ?? sockets.first {
            socket = OwnedFD(adopting: first.rawValue)
            try Syscalls.setNonBlocking(first.rawValue)
            self.path = "the socket systemd passed (\(first.name))"
            isOwn = false
            journal.note("Serving the socket that systemd passed; --socket \(path) is not used")
        } else {
            socket = try UnixSocket.listen(path: path, mode: 0o666)
            self.path = path
            isOwn = true
        }
    }

    /// Takes in the clients that wait, a bounded number at a time.
    ///
    /// - Returns: False when no descriptor is left: those who wait stay in the queue, so the
    ///   socket stays readable and must not be watched for a while.
    func acceptAll(into engine: Engine) throws -> Bool {
        for _ in 0..<Limits.connectionsPerTurnMax {
            switch try UnixSocket.accept(socket.rawValue) {
            case .connection(let connection):
                isExhausted = false
                do throws(SystemError) {
                    try engine.connected(connection)
                } catch {
                    // The peer is gone already, or the kernel has no memory for it.
                    engine.journal.warning("A connection was lost: \(error)")
                }
            case .wouldBlock:
                return true
            case .exhausted(let error):
                if !isExhausted {
                    engine.journal.warning(
                        "No further connections are taken for now: \(error); "
                            + "raise LimitNOFILE= or lower `connections`")
                }
                isExhausted = true
                return false
            }
        }
        return true
    }

    func close() {
        if isOwn { _ = try? Files.remove(path) }
    }
}
