import Glibc
package import SystemKit

/// A client in a process of its own, as another user if need be: what is sent to `client` it passes
/// on to the daemon, and back. The process ends with the value.
package final class ClientProcess {
    package let client: WireClient
    private var child: ChildProcess?
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

    /// - Parameters:
    ///   - user: Another one than this process's only for root.
    ///   - groups: Supplementary groups.
    package init(
        _ path: String, user: UInt32 = Credentials.effectiveUser, group: UInt32? = nil,
        groups: [UInt32] = []
    ) throws {
        let pair = try UnixSocket.Pair()
        let words = [path, "\(user)", "\(group ?? user)"] + groups.map { "\($0)" }
        let started = try ChildProcess.start(
            ["python3", "-c", ClientProcess.relay] + words,
            input: .descriptor(pair.right.rawValue))
        process = started.id
        child = consume started
        client = try WireClient(connected: OwnedFD(
                adopting: fcntl(pair.left.rawValue, F_DUPFD_CLOEXEC, 0)))
    }

    deinit {
        end(.kill)
    }

    /// Ends the process and waits for it.
    package func end(_ signal: ProcessSignal) {
        guard let running = child.take() else { return }
        running.send(signal)
        _ = running.wait()
    }
}
