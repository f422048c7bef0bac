import JSON
import RetryClient
import SystemKit

/// Waits for the end of an operation, for `retryctl run --wait`.
struct OperationEnd {
    private static let pauseFirstMs: Int64 = 100
    private static let pauseMaxMs: Int64 = 2_000
    /// A daemon that restarts is waited for.
    private static let reconnectMs: Int64 = 600_000

    private let invocation: Invocation
    private let id: Int64

    init(_ invocation: Invocation, id: Int64) {
        self.invocation = invocation
        self.id = id
    }

    /// - Returns: 0 when it succeeded, else the exit code of the last attempt.
    func wait() throws(CommandFailure) -> Int32 {
        invocation.client.options.reconnectMs = OperationEnd.reconnectMs
        var pauseMs = OperationEnd.pauseFirstMs
        var told = ""
        while true {
            let details = try invocation.ask { try $0.get(id) }
            let operation = details.operation
            if !operation.isLive { return end(details) }
            // A person must act; that is said once each time.
            if operation.state == "parked", told != operation.cause {
                told = operation.cause ?? ""
                invocation.console.say(
                    "retryctl: operation \(id): parked (\(TerminalText.escape(told))): "
                        + TerminalText.escape(details.primary.next))
            }
            // Nothing happens to it before it is due.
            let untilDueMs = (operation.dueUsec ?? 0) / 1_000 - invocation.nowUsec / 1_000
            if operation.state == "scheduled", untilDueMs > pauseMs {
                Clocks.sleep(ms: min(untilDueMs, OperationEnd.pauseMaxMs))
            } else {
                Clocks.sleep(ms: pauseMs)
                pauseMs = min(2 * pauseMs, OperationEnd.pauseMaxMs)
            }
        }
    }

    private func end(_ details: OperationDetails) -> Int32 {
        let operation = details.operation
        if operation.state == "succeeded" {
            invocation.console.say(
                "retryctl: operation \(id): succeeded at attempt \(operation.attempts)")
            return ExitCode.success.rawValue
        }
        let attempts =
            operation.attempts == 1
            ? "1 failed attempt" : "\(operation.attempts) failed attempts"
        let state = TerminalText.escape(OperationText.state(operation))
        invocation.console.say("retryctl: operation \(id): \(state) after \(attempts)")
        return OperationEnd.exitCode(of: details.failure) ?? ExitCode.failure.rawValue
    }

    /// The exit code that a failure document tells, as a shell would give it.
    static func exitCode(of failure: RawJSON?) -> Int32? {
        guard let failure else { return nil }
        let parser = JSONParser(lengthMax: max(1_024, failure.bytes.count), depthMax: 64)
        // A value lives as long as its parser.
        defer { withExtendedLifetime(parser) {} }
        guard let process = (try? parser.parse(failure.bytes))?["process"] else { return nil }
        if let code = process["exit_code"]?.integer { return Int32(clamping: code) }
        guard let name = process["signal"]?.string, let signal = ProcessSignal(name: name) else {
            return nil
        }
        return 128 + signal.rawValue
    }
}
