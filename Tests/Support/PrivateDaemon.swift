package import RetryClient
import SystemKit

/// A real retryd of a test's own: its store, socket and configuration lie in a directory that goes
/// with the value, and so does the daemon.
package final class PrivateDaemon {
    package let directory: TemporaryDirectory
    package var socket: String { "\(directory.path)/socket" }
    package let client: RetryClient
    private var program: RunningProgram?

    /// Short delays, and leases that need a word every third of a second, so that nobody waits.
    package static let quick = """
        [policy.default]
        initial = "50ms"
        floor = "20ms"
        max = "200ms"
        visibility = "1s"
        [command]
        allow-users = ["root"]
        """

    /// - Parameters:
    ///   - configuration: retryd.toml.
    ///   - isOpen: whether other users may reach its socket.
    package init(_ configuration: String = PrivateDaemon.quick, isOpen: Bool = false) throws {
        directory = try TemporaryDirectory(mode: isOpen ? 0o755 : 0o700)
        client = RetryClient(path: "\(directory.path)/socket")
        // It may be killed and started again at any time.
        client.options.reconnectMs = 10_000
        try Files.makeDirectory("\(directory.path)/state", mode: 0o700)
        try Files.makeDirectory("\(directory.path)/config", mode: 0o700)
        try Files.writeAtomically(
            "\(directory.path)/config/retryd.toml", Array(configuration.utf8), mode: 0o600)
        try start()
    }

    /// Starts it (again) and waits until it serves.
    package func start() throws {
        precondition(program == nil, "it runs")
        program = try RunningProgram(
            [
                Products.path(of: "retryd"), "--state", "\(directory.path)/state", "--socket",
                socket, "--config", "\(directory.path)/config",
            ], logPath: "\(directory.path)/retryd.log")
        do {
            _ = try client.status()
        } catch {
            throw Unusable("retryd does not serve: \(error)\n\(log)")
        }
    }

    /// Ends it as a crash would.
    package func kill() {
        program?.kill()
        program = nil
    }

    /// Ends it in good order.
    package func stop() {
        program?.terminate()
        program = nil
    }

    /// What it has said so far.
    package var log: String {
        let bytes = (try? Files.readAll("\(directory.path)/retryd.log", bytesMax: 1 << 20)) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Waits until an operation is in a state.
    ///
    /// - Throws: `Unusable` with what it is, when it takes longer than 15 seconds.
    @discardableResult
    package func wait(for id: Int64, toBe state: String) throws -> OperationDetails {
        try wait(for: id, "to be \(state)") { $0.operation.state == state }
    }

    @discardableResult
    package func wait(
        for id: Int64, _ what: String, _ isReached: (OperationDetails) -> Bool
    ) throws -> OperationDetails {
        let endUsec = Clocks.monotonicUsec() + 15_000_000
        while true {
            let details = try client.get(id)
            if isReached(details) { return details }
            guard Clocks.monotonicUsec() < endUsec else {
                throw Unusable("operation \(id) had \(what) in time, but is \(details)\n\(log)")
            }
            Clocks.sleep(ms: 10)
        }
    }
}

/// Something a test needs does not work.
package struct Unusable: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

extension PrivateDaemon {
    /// As `quick`, but a second failure is the last.
    package static let oneRetry = quick.replacing("[command]", with: "max-attempts = 2\n[command]")
}
