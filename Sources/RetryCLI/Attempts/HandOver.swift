import JSON
import RetryClient

/// What `retryctl run` does with a failed first attempt: hands it over, says what was understood
/// and what happens when, and finds the exit code.
struct HandOver {
    private let invocation: Invocation
    private let draft: OperationDraft
    private let failure: ProcessFailure

    init(_ invocation: Invocation, _ draft: OperationDraft, _ failure: ProcessFailure) {
        self.invocation = invocation
        self.draft = draft
        self.failure = failure
    }

    func perform() throws(CommandFailure) -> Int32 {
        let ownCode = failure.end.shellCode
        let submitted: Submitted
        do {
            let answer = try invocation.ask { try $0.submitRaw(draft, failure: failure.json) }
            submitted = try invocation.ask { _ in try Submitted(answer) }
            if invocation.printsJSON { try invocation.console.writeJSON(answer) }
        } catch {
            invocation.console.say(happened)
            invocation.console.complain("not handed over: \(error.message)")
            // 75 says that it was.
            return ownCode == ExitCode.temporary.rawValue ? notHandedOver(error) : ownCode
        }
        say(submitted)
        if submitted.decision?.outcome == "dead" { return ownCode }
        if !invocation.arguments.has("wait") { return ExitCode.temporary.rawValue }
        try invocation.console.flush()
        return try OperationEnd(invocation, id: submitted.id).wait()
    }

    /// The code of why it was not handed over, which may be 75 as well.
    private func notHandedOver(_ error: CommandFailure) -> Int32 {
        error.code == .temporary ? ExitCode.failure.rawValue : error.code.rawValue
    }

    /// "retryctl: sh ended with exit code 75"
    private var happened: String {
        let text = "retryctl: \(TerminalText.escape(failure.program)) \(failure.end.text)"
        return failure.timedOut ? text + " because it took too long" : text
    }

    private func say(_ submitted: Submitted) {
        let console = invocation.console
        let operation =
            "operation \(submitted.id)"
            + (submitted.isExisting ? ", which was there before" : "")
        guard let decision = submitted.decision else {
            console.say(happened)
            console.say(
                "retryctl: \(operation): \(TerminalText.escape(submitted.state))")
            return
        }
        console.say("\(happened): \(TerminalText.escape(DecisionText.meaning(decision)))")
        let next = DecisionText.next(decision, nowUsec: invocation.nowUsec)
        console.say("retryctl: \(operation): \(TerminalText.escape(next))")
        if decision.outcome == "dead" { return }
        console.say(
            "retryctl: \"retryctl why \(submitted.id)\" says why it waits, "
                + "\"retryctl cancel \(submitted.id)\" ends it")
    }
}
