import RetryClient
import SystemKit

/// What is told to the daemon about an attempt that has ended.
enum AttemptOutcome {
    /// timeout(1) exits with it when the time is up.
    private static let exitCodeTimedOut: Int32 = 124
    /// What shells make of a program that is not there, and of one that cannot be run.
    private static let exitCodeNotFound: Int32 = 127
    private static let exitCodeNotRun: Int32 = 126
    /// EX_USAGE of sysexits.h.
    private static let exitCodeUsage: Int32 = 64

    /// The outcome, and a shorter one in case the daemon is configured to take short failures
    /// only.
    ///
    /// - Parameter memoryKillsNow: the count of `OutOfMemory` after the end.
    static func all(
        _ result: RunnerResult, of state: AttemptState, memoryKillsNow: Int64?
    ) -> [RetryClient.Outcome] {
        var short = (result: result, state: state)
        short.result.errorTail = []
        short.state.command.arguments.removeLast(state.command.arguments.count - 1)
        return [
            make(result, of: state, memoryKillsNow: memoryKillsNow),
            make(short.result, of: short.state, memoryKillsNow: memoryKillsNow),
        ]
    }

    static func make(
        _ result: RunnerResult, of state: AttemptState, memoryKillsNow: Int64?
    ) -> RetryClient.Outcome {
        switch result.end {
        case .exited(let code):
            if code == 0, !result.timedOut { return .succeeded }
            return failed(result, of: state, .exited(code: code))
        case .killed(let signal, let coreDumped, let byRunner):
            let end = ProcessFailure.End.killed(
                signal: signal.rawValue, coreDumped: coreDumped)
            return failed(result, of: state, end) { failure in
                guard signal == .kill, !byRunner, let before = state.memoryKills,
                    let now = memoryKillsNow
                else { return }
                failure.wasOutOfMemory = now > before
            }
        case .refused(let step, let code):
            return refused(result, of: state, step, code)
        }
    }

    private static func failed(
        _ result: RunnerResult, of state: AttemptState, _ end: ProcessFailure.End,
        _ finish: (inout ProcessFailure) -> Void = { _ in }
    ) -> RetryClient.Outcome {
        // What a command that was stopped makes of SIGTERM says nothing about its work, and the
        // table of its exit codes would be asked in vain.
        let told = result.timedOut ? .exited(code: exitCodeTimedOut) : end
        var failure = ProcessFailure(of: state.command, end: told, errorTail: result.errorTail)
        failure.isIdempotent = state.isIdempotent
        if result.timedOut {
            failure.timedOut = true
            failure.message =
                "stopped after \(result.ranMs) ms; it may take \(state.command.timeoutMs ?? 0) ms"
        }
        finish(&failure)
        return .failed(failure.json)
    }

    private static func refused(
        _ result: RunnerResult, of state: AttemptState, _ step: RunnerResult.Step, _ code: Int32
    ) -> RetryClient.Outcome {
        let error = SystemError(code: code, operation: "")
        let isMissing = step == .execute && error.isNotFound
        var failure = ProcessFailure(
            of: state.command,
            end: .exited(code: isMissing ? exitCodeNotFound : exitCodeNotRun),
            errorTail: result.errorTail)
        failure.isIdempotent = state.isIdempotent
        failure.refusal = ProcessFailure.Refusal(code: code, syscall: step.syscall)
        failure.message = "\(whatFailed(step, state.command)): \(error.reason)"
        return .failed(failure.json)
    }

    private static func whatFailed(
        _ step: RunnerResult.Step, _ command: CommandPayload
    ) -> String {
        switch step {
        case .fork: "make a process"
        case .setGroups, .setGroup, .setUser: "become the owner (\(step.syscall))"
        case .enterDirectory: "enter \(command.workingDirectory ?? "the working directory")"
        case .execute: "run \(command.arguments.first ?? "")"
        }
    }

    /// For a payload that is no command: the daemon takes none, but another version might.
    static func malformed(_ reason: CommandPayload.Malformed) -> RetryClient.Outcome {
        var failure = ProcessFailure(
            program: "retryd-exec", arguments: [], end: .exited(code: exitCodeUsage),
            errorTail: [])
        failure.message = reason.description
        return .failed(failure.json)
    }
}
