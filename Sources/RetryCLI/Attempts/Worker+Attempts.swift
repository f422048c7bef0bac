import RetryClient
import SystemKit

extension Worker {
    /// Starts what has a free place.
    func startWaiting() throws {
        if isEnding { return }
        var running = attempts.reduce(0) { $0 + ($1.run == nil ? 0 : 1) }
        for attempt in attempts where attempt.run == nil {
            if running >= settings.attemptsMax { return }
            running += 1
            try start(attempt)
            if isEnding { return giveBackWaiting() }
        }
    }

    private func start(_ attempt: WorkerAttempt) throws {
        let input = try MemoryFile.make(named: "payload", attempt.input)
        do throws(SystemError) {
            // A number alone does not keep the file open until the command has its own.
            attempt.run = try withExtendedLifetime(input) { () throws(SystemError) in
                try CommandRun(
                    settings.command, variables: attempt.variables,
                    input: .descriptor(input.rawValue), timeoutMs: settings.timeoutMs, loop: loop
                ) { [unowned self, unowned attempt] ended in try finish(attempt, ended) }
            }
        } catch {
            // No operation can help it: whoever wrote the command line must.
            end(
                CommandFailure(
                    "\(settings.command[0]): \(error.reason)",
                    error.isNotFound ? .commandNotFound : .commandNotRunnable))
        }
    }

    private func finish(_ attempt: WorkerAttempt, _ ended: CommandRun.Ended) throws {
        attempts.removeAll { $0 === attempt }
        lastExitCode = ended.end.shellCode
        let operation = attempt.operation
        if !attempt.isAbandoned {
            reports.append(
                Report(id: operation.id, token: operation.token, outcome: outcome(attempt, ended)))
            sendReports()
        }
        try settle()
    }

    /// - Returns: nil when it was this worker's end that ended the attempt.
    private func outcome(
        _ attempt: WorkerAttempt, _ ended: CommandRun.Ended
    ) -> RetryClient.Outcome? {
        switch ended.end {
        case .exited(code: 0): return .succeeded
        case .exited: break
        case .killed(let signal, _):
            let isByWorker =
                Worker.signals.contains(ProcessSignal(rawValue: signal))
                || attempt.run?.isStopping == true
            if wasSignalled, isByWorker { return nil }
        }
        var failure = ProcessFailure(
            program: settings.command[0], arguments: Array(settings.command.dropFirst()),
            end: ended.end, errorTail: ended.errorTail)
        failure.timedOut = ended.timedOut
        failure.isIdempotent = attempt.operation.isIdempotent
        return .failed(failure.json)
    }

    /// Gives back what has not been started.
    func giveBackWaiting() {
        for attempt in attempts where attempt.run == nil {
            let operation = attempt.operation
            reports.append(Report(id: operation.id, token: operation.token, outcome: nil))
        }
        attempts.removeAll { $0.run == nil }
        sendReports()
    }

    // MARK: Words to the daemon

    /// Tells what can be told, and keeps the rest for later.
    func sendReports() {
        while let report = reports.first {
            do throws(ClientError) {
                if let outcome = report.outcome {
                    try client.report(report.id, token: report.token, outcome)
                } else {
                    try client.release(report.id, token: report.token)
                }
            } catch {
                if error.isPassing { return tryAgainLater() }
                console.complain(error.description)
            }
            reports.removeFirst()
        }
    }

    /// Keeps a lease. Who has lost it stops the attempt.
    func extend(_ attempt: WorkerAttempt) {
        attempt.extended(nowUsec: loop.nowUsec)
        let operation = attempt.operation
        do throws(ClientError) {
            try client.extend(
                operation.id, token: operation.token, visibilityMs: settings.visibilityMs)
        } catch {
            if error.isPassing { return }
            console.complain(error.description)
            attempt.isAbandoned = true
            if let run = attempt.run {
                run.stop()
            } else {
                attempts.removeAll { $0 === attempt }
            }
        }
    }
}

extension ClientError {
    /// The daemon will be back, or its store will.
    var isPassing: Bool {
        code.isDisconnect || code == .timedOut || code == .storeUnavailable
    }
}
