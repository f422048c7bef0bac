import SystemKit

/// A daemon of our own, ended when it is dropped.
final class DaemonProcess {
    let name: String
    let id: Int32
    private var child: ChildProcess?
    /// What it says: in memory, so that writing it does not disturb the disk that is measured.
    private let log: OwnedFD

    /// How long a daemon may take to start or to end.
    static let patienceMs: Int64 = 120_000

    /// - Parameter variables: What its environment has on top of this process's own.
    init(
        _ name: String, _ arguments: [String], variables: [(name: String, value: String?)] = []
    ) throws(BenchError) {
        self.name = name
        do {
            log = try MemoryFile.make(named: "log", [])
            let child = try ChildProcess.start(
                arguments, variables: variables, input: .null,
                output: .descriptor(log.rawValue), error: .descriptor(log.rawValue))
            id = child.id
            self.child = consume child
        } catch {
            throw .system(error)
        }
    }

    deinit {
        child?.send(.kill)
        _ = child.take()?.wait()
    }

    /// Waits until it answers on a socket.
    func awaitSocket(_ path: String) throws(BenchError) {
        let end = Clocks.monotonicUsec() + Self.patienceMs * 1_000
        while true {
            do throws(UnixSocketError) {
                _ = try UnixSocket.connect(path: path)
                return
            } catch {
                if hasEnded || Clocks.monotonicUsec() > end { throw failure(": \(error)") }
            }
            Clocks.sleep(ms: 2)
        }
    }

    var hasEnded: Bool {
        guard let process = child?.fileDescriptor else { return true }
        return (try? Syscalls.wait(for: process, .readable, timeoutMs: 0)) ?? true
    }

    /// Ends it in good order.
    func stop() {
        child?.send(.terminate)
        _ = child.take()?.wait()
    }

    func failure(_ what: String) -> BenchError {
        let said = (try? Files.readAll("/proc/self/fd/\(log.rawValue)", bytesMax: 1 << 24)) ?? []
        let text = String(decoding: said.suffix(2_000), as: UTF8.self)
        return .daemon("\(name) does not serve\(what)\n\(text)")
    }
}
