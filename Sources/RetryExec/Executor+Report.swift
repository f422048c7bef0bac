import RetryClient
import SystemKit

/// Telling the daemon how attempts ended.
extension Executor {
    func report(_ attempt: Attempt) {
        guard let link, attempt.reportIsDue(nowUsec: loop.nowUsec) else { return }
        guard let outcome = attempt.outcomes.first else {
            preconditionFailure("what has not ended is not reported")
        }
        attempt.reportIsOut = true
        let asked = askedWithReport()
        promised += asked
        link.calls.report(attempt.id, token: attempt.token, outcome, leaseNext: Int64(asked)) {
            [unowned self] answer in
            promised -= asked
            attempt.reportIsOut = false
            attempt.isConfirmed = true
            switch answer {
            case .success(let reported):
                release(attempt)
                take(reported.operations)
            case .failure(let error): notReported(attempt, error)
            }
        }
    }

    private func notReported(_ attempt: Attempt, _ error: ClientError) {
        switch error.code {
        case .staleLease, .noSuchOperation:
            // An answer that got lost, a report that came too late, or a cancelled operation.
            Notice.info.say("operation \(attempt.id): its report did not count: \(error)")
            release(attempt)
        case .storeUnavailable:
            Notice.warning.say("operation \(attempt.id): its report waits: \(error)")
            attempt.planReport(nowUsec: loop.nowUsec)
        case _:
            Notice.error.say("operation \(attempt.id): its report is refused: \(error)")
            if attempt.outcomeWasRefused() {
                attempt.planReport(nowUsec: loop.nowUsec)
            } else {
                release(attempt)
            }
        }
    }

    /// Its runner can go. The file of the result goes last: after a crash in between the next
    /// retryd-exec finds a result, whose report is fenced, and no runner that waits for ever.
    private func release(_ attempt: Attempt) {
        do throws(SystemError) {
            try attempt.runner.resultWasTaken()
        } catch {
            Notice.error.say("operation \(attempt.id): its runner cannot be told: \(error)")
        }
        forget(attempt)
    }
}
