import RetryClient
import SystemKit

/// Attempts under way: keeping their leases, noticing their ends, stopping those that lost theirs.
extension Executor {
    /// Takes an attempt into account.
    func add(
        _ state: AttemptState, _ phase: Attempt.Phase, _ runner: RunnerHandle
    ) throws(SystemError) -> Attempt {
        let files = runtime.files(id: state.id, token: state.token)
        let attempt = Attempt(state, files, phase, runner, nowUsec: loop.nowUsec)
        try runner.watch(in: loop) { [unowned self, unowned attempt] in runnerEnded(attempt) }
        attempts[attempt.key] = attempt
        return attempt
    }

    /// Says what is due about an attempt: that it goes on, or how it ended.
    func tend(_ attempt: Attempt) {
        let nowUsec = loop.nowUsec
        // The directory tells of results, but the kernel may have dropped that.
        if attempt.extensionIsDue(nowUsec: nowUsec) { takeResult(of: attempt) }
        if attempt.reportIsDue(nowUsec: nowUsec) { report(attempt) }
        if attempt.extensionIsDue(nowUsec: nowUsec) { extend(attempt) }
    }

    // MARK: The lease

    func extend(_ attempt: Attempt) {
        guard let link else { return }
        attempt.extendIsOut = true
        link.calls.extend(
            attempt.id, token: attempt.token, holderProcessID: attempt.state.runner.process
        ) { [unowned self] answer in
            attempt.extendIsOut = false
            attempt.isConfirmed = true
            // It may have ended meanwhile.
            guard attempts[attempt.key] === attempt else { return }
            switch answer {
            case .success(let untilUsec): extended(attempt, untilUsec)
            case .failure(let error): notExtended(attempt, error)
            }
        }
    }

    private func extended(_ attempt: Attempt, _ untilUsec: Int64) {
        attempt.leaseStands(
            untilUsec: untilUsec, wallUsec: Clocks.realtimeUsec(), nowUsec: loop.nowUsec)
        guard attempt.phase == .handingOver else { return }
        attempt.phase = .running
        do throws(SystemError) {
            try attempt.runner.startCommand()
        } catch {
            // Its runner is gone, which is told as well.
            Notice.warning.say("operation \(attempt.id): \(error)")
        }
    }

    private func notExtended(_ attempt: Attempt, _ error: ClientError) {
        switch error.code {
        case .staleLease, .noSuchOperation:
            switch attempt.phase {
            case .handingOver, .running:
                Notice.notice.say("operation \(attempt.id) is stopped: \(error)")
                stop(attempt)
            // The answer to the report says the same.
            case .ended, .stopping: break
            }
        case _:
            Notice.warning.say("operation \(attempt.id): its lease was not extended: \(error)")
            attempt.planExtension(nowUsec: loop.nowUsec)
        }
    }

    /// Stops the command of an attempt that counts for nothing any more.
    func stop(_ attempt: Attempt) {
        switch attempt.phase {
        case .handingOver, .running: break
        case .ended, .stopping: return
        }
        attempt.phase = .stopping
        do throws(SystemError) {
            try attempt.runner.stop()
        } catch {
            Notice.error.say("operation \(attempt.id): its runner cannot be told: \(error)")
        }
    }

    // MARK: The end

    /// A result may have come.
    func takeResults() {
        for attempt in attempts.values { takeResult(of: attempt) }
    }

    func takeResult(of attempt: Attempt) {
        guard attempt.phase == .running, let result = runtime.result(of: attempt.files) else {
            return
        }
        attempt.ended(
            AttemptOutcome.all(result, of: attempt.state, memoryKillsNow: memory.killCount),
            nowUsec: loop.nowUsec)
        report(attempt)
    }

    private func runnerEnded(_ attempt: Attempt) {
        takeResult(of: attempt)
        switch attempt.phase {
        case .handingOver, .running:
            // The daemon sees its death as well: the lease is lost.
            Notice.error.say("operation \(attempt.id): its runner was killed; it is run again")
            runtime.command(of: attempt.files)?.signalGroup(.kill)
            forget(attempt)
        case .ended: break
        case .stopping: forget(attempt)
        }
    }

    /// Lets an attempt go.
    func forget(_ attempt: Attempt) {
        attempts[attempt.key] = nil
        attempt.runner.close()
        do throws(SystemError) {
            try runtime.remove(attempt.files)
        } catch {
            Notice.error.say("operation \(attempt.id): \(error)")
        }
    }
}
