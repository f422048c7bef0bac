import RetryClient
import SystemKit

/// Going on with the attempts that another retryd-exec began.
extension Executor {
    func adoptAttempts() throws(SystemError) {
        for state in try runtime.leftAttempts() { try adopt(state) }
        if !attempts.isEmpty {
            Notice.notice.say("taken over from the retryd-exec before: \(attempts.count)")
        }
    }

    private func adopt(_ state: AttemptState) throws(SystemError) {
        let files = runtime.files(id: state.id, token: state.token)
        let pidfd = try ProcessIdentity.open(state.runner.process)
        // Asked after it was opened: else the number could be given to another process in between.
        if let pidfd, state.runner.isAlive {
            let attempt = try add(state, .running, RunnerHandle(pidfd: pidfd))
            tend(attempt)
        } else if let result = runtime.result(of: files) {
            let attempt = try add(state, .running, RunnerHandle())
            attempt.ended(
                AttemptOutcome.all(result, of: state, memoryKillsNow: nil), nowUsec: loop.nowUsec)
            tend(attempt)
        } else {
            Notice.warning.say("operation \(state.id): its runner was killed; it is run again")
            runtime.command(of: files)?.signalGroup(.kill)
            try runtime.remove(files)
        }
    }
}
