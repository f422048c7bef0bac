import Glibc
package import SystemKit

/// A client in a process of its own, as another user if need be: what is sent to `client` it passes
/// on to the daemon, and back. The process ends with `client`.
package struct ClientProcess {
    package let client: WireClient
    /// The number the daemon knows it by.
    package let process: Int32

    /// Passes bytes between its standard input, a socket, and the daemon's socket.
    private static let relay = """
        import os, select, socket, sys
        path, user, group = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
        if user != os.getuid():
            os.setgroups([int(word) for word in sys.argv[4:]])
            os.setgid(group)
            os.setuid(user)
        daemon = socket.socket(socket.AF_UNIX)
        daemon.connect(path)
        test = socket.socket(fileno=0)
        other = {daemon: test, test: daemon}
        while True:
            for source in select.select([daemon, test], [], [])[0]:
                data = source.recv(65536)
                if not data:
                    sys.exit(0)
                other[source].sendall(data)
        """

    private let relayProcess: RelayProcess

    /// The process, which ends with the last who has it.
    private final class RelayProcess {
        let daemon: PrivateDaemon
        private var child: ChildProcess?

        init(_ child: consuming ChildProcess, _ daemon: PrivateDaemon) {
            self.child = consume child
            self.daemon = daemon
        }

        deinit {
            end(.kill)
        }

        func end(_ signal: ProcessSignal) {
            guard let running = child.take() else { return }
            running.send(signal)
            _ = running.wait()
        }
    }

    /// - Parameters:
    ///   - user: Another one than this process's only for root.
    ///   - groups: Supplementary groups.
    package init(
        _ daemon: PrivateDaemon, user: UInt32 = Credentials.effectiveUser, group: UInt32? = nil,
        groups: [UInt32] = []
    ) throws {
        let pair = try UnixSocket.Pair()
        let words = [daemon.socket, "\(user)", "\(group ?? user)"] + groups.map { "\($0)" }
        let started = try ChildProcess.start(
            ["python3", "-c", ClientProcess.relay] + words,
            input: .descriptor(pair.right.rawValue))
        process = started.id
        relayProcess = RelayProcess(started, daemon)
        client = try WireClient(
            connected: OwnedFD(adopting: fcntl(pair.left.rawValue, F_DUPFD_CLOEXEC, 0)),
            keeping: relayProcess)
    }

    /// Ends the process and waits for it.
    package func end(_ signal: ProcessSignal) {
        relayProcess.end(signal)
    }
}
