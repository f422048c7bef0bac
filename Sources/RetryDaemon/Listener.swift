import RetryModel
import SystemKit

/// The socket clients connect to: passed by systemd, or made here.
final class Listener {
    private let socket: OwnedFD
    let path: String
    /// Made here, so removed at the end. A passed one stays systemd's and keeps its queue.
    private let isOwn: Bool
    private var isStopped = false

    var descriptor: Int32 { socket.rawValue }

    init(_ path: String, _ journal: Journalist) throws {
        let passed = try ListenFD.takeAll().filter(\.isListeningUnixStream)
        if let first = passed.first(where: { $0.name == "varlink" }) ?? passed.first {
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
    func acceptAll(into engine: Engine) throws {
        for _ in 0..<Limits.connectionsPerTurnMax {
            switch try UnixSocket.accept(socket.rawValue) {
            case .connection(let connection):
                do throws(SystemError) {
                    try engine.connected(connection)
                } catch {
                    // The peer is gone already, or the kernel has no memory for it.
                    engine.journal.warning("a connection was lost: \(error)")
                }
            case .wouldBlock:
                return
            case .exhausted(let error):
                engine.journal.warning("no further connections are taken for now: \(error)")
                return
            }
        }
    }

    func stopAccepting() {
        isStopped = true
    }

    func close() {
        if isOwn { _ = try? Files.remove(path) }
    }
}
