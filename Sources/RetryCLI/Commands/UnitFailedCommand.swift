import RetryClient
import RetryModel
import SystemKit

/// `retryctl unit-failed`
package enum UnitFailedCommand {
    package static let definition = CommandDefinition(
        "unit-failed", "hand over a systemd unit that failed (OnFailure=)",
        examples: [
            .init(
                "OnFailure=retryd@%n.service", "in the [Unit] section: retryd starts it again"),
            .init("retryctl unit-failed backup.service", "the same by hand"),
        ],
        details: [
            "Reads the variables that systemd sets for OnFailure= (MONITOR_SERVICE_RESULT and "
                + "others, systemd.exec(5)). A unit that fails again while it waits adds nothing. "
                + "For root and admins; retryd-exec --units starts the units."
        ],
        operands: .words("UNIT", min: 1, max: 1),
        options: [.value("policy", "NAME", "back off and give up by this policy")],
        run: run)

    /// systemd starts it while everything goes down or comes up, the daemon included.
    private static let reconnectMs: Int64 = 10_000

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let unit = invocation.arguments.words[0]
        var draft = OperationDraft(kind: Kind.unit.name.description)
        draft.key = unit
        draft.payload = .json(UnitFailure.payload(unit: unit))
        draft.policy = invocation.arguments.value("policy")
        // Who wants a unit started again means every failure that is not known to be final.
        draft.unknown = .retry
        // Starting a unit that runs changes nothing, and whoever wrote OnFailure= wants it again.
        draft.isIdempotent = true
        let failure = failure(of: unit) { Environment.value($0) }
        let answer = try invocation.ask { client in
            client.options.reconnectMs = reconnectMs
            return try client.submitRaw(draft, failure: failure.json)
        }
        if invocation.printsJSON {
            try invocation.console.writeJSON(answer)
        } else if !invocation.arguments.has("quiet") {
            let submitted = try invocation.ask { _ in try Submitted(answer) }
            try SubmitCommand.write(submitted, invocation)
        }
        return ExitCode.success.rawValue
    }

    /// The failure that systemd tells by variables. It sets them only when one unit failed; for
    /// several at once nothing is known but that they did.
    static func failure(
        of unit: String, _ variable: (String) -> String?
    ) -> UnitFailure {
        guard variable("MONITOR_UNIT") == unit, let result = variable("MONITOR_SERVICE_RESULT")
        else { return UnitFailure(unit: unit, result: "failed") }
        return UnitFailure(
            unit: unit, result: result,
            end: end(variable("MONITOR_EXIT_CODE"), variable("MONITOR_EXIT_STATUS")),
            invocation: variable("MONITOR_INVOCATION_ID"))
    }

    /// - Parameters:
    ///   - code: `exited`, `killed` or `dumped`.
    ///   - status: an exit code, or the name of a signal without SIG.
    private static func end(_ code: String?, _ status: String?) -> ProcessFailure.End? {
        guard let code, let status else { return nil }
        if code == "exited" { return Int32(status).map { .exited(code: $0) } }
        return ProcessSignal(name: status).map {
            .killed(signal: $0.rawValue, coreDumped: code == "dumped")
        }
    }
}
