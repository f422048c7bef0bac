import RetryClient
import SystemKit

/// Leases operations of kind `unit`, has systemd start the units, watches each to its end and
/// reports how that was.
///
/// It is for root's manager, or for the user's own where it runs as an ordinary user. A unit runs
/// on whatever becomes of this process; the next one finds it as it is.
final class UnitWorker {
    let socket: String
    let loop: EventLoop

    var link: Link?
    var bus: Bus?
    /// When daemon and D-Bus are tried again (CLOCK_BOOTTIME).
    var connectAtUsec: Int64? = 0
    /// When work is asked for again after the daemon could not give any.
    var askAtUsec: Int64?
    var attempts: [Int64: UnitAttempt] = [:]
    /// Attempts that a call on its way may bring.
    var promised = 0
    /// What keeps it from working, and was told.
    var trouble: String?

    private var timer: TimerSource?
    private var post: Source?

    /// Units at a time. They are watched, not run here.
    static let attemptsMax = 256
    static let queue = "unit"
    static let retryUsec: Int64 = 2_000_000
    static let extendUsec: Int64 = 5_000_000

    init(_ options: ExecOptions, _ loop: EventLoop) throws(SystemError) {
        socket = options.socket
        self.loop = loop
        timer = try loop.addTimer(priority: .timer) { [unowned self] in timePassed() }
        post = try loop.addPost(priority: .idle) { [unowned self] in endTurn() }
        timer?.arm(atUsec: 0)
    }

    /// Gives back what is under way: the units go on, and the next worker finds them.
    func stop() {
        for attempt in attempts.values where attempt.phase != .ended {
            link?.calls.release(attempt.id, token: attempt.token, delayMs: 0) { _ in }
        }
        // What cannot be sent now is lost with this process, as any lease. The loop has ended, so
        // nothing is watched any more.
        _ = try? link?.calls.send()
        post?.close()
        timer?.close()
        bus?.close()
        link?.close()
    }

    func timePassed() {
        let nowUsec = loop.nowUsec
        if let moment = connectAtUsec, moment <= nowUsec { connect() }
        if let moment = askAtUsec, moment <= nowUsec { askAtUsec = nil }
        for attempt in attempts.values { tend(attempt) }
    }

    private func endTurn() {
        askForWork()
        do throws(ClientError) {
            try link?.send()
        } catch {
            lostDaemon(error)
        }
        let moments = attempts.values.map(\.nextUsec) + [connectAtUsec ?? .max, askAtUsec ?? .max]
        timer?.arm(atUsec: moments.min() ?? .max)
    }

    // MARK: Connections

    /// Reaches daemon and D-Bus, whichever is missing. Without D-Bus no work is asked for.
    private func connect() {
        connectAtUsec = nil
        do {
            if bus == nil { try openBus() }
            if link == nil {
                link = try Link(path: socket, loop) { [unowned self] in receive(from: $0) }
                for attempt in attempts.values {
                    attempt.callIsOut = false
                    attempt.extendAtUsec = loop.nowUsec
                }
            }
        } catch {
            troubled("units are not started for now: \(error)")
        }
    }

    func troubled(_ reason: String) {
        if trouble == nil { Notice.warning.say("\(reason); trying again") }
        trouble = reason
        connectAtUsec = loop.nowUsec + UnitWorker.retryUsec
    }

    func isWell() {
        if trouble != nil { Notice.notice.say("units are started again") }
        trouble = nil
    }

    private func receive(from connection: PolledConnection) {
        do {
            try connection.receive()
        } catch {
            lostDaemon(error)
        }
    }

    private func lostDaemon(_ error: any Error) {
        guard link != nil else { return }
        link?.close()
        link = nil
        promised = 0
        askAtUsec = nil
        troubled("units: \(error)")
    }

    // MARK: Leases

    private func askForWork() {
        guard let link, bus != nil, trouble == nil, link.leases.outstanding == 0, askAtUsec == nil
        else { return }
        let asked = UnitWorker.attemptsMax - attempts.count - promised
        if asked <= 0 { return }
        promised += asked
        link.leases.lease(queues: [UnitWorker.queue], max: Int64(asked), waitMs: 3_600_000) {
            [unowned self] answer in
            promised -= asked
            switch answer {
            case .success(let operations): for operation in operations { take(operation) }
            case .failure(let error):
                Notice.warning.say("no units: \(error)")
                askAtUsec = loop.nowUsec + UnitWorker.retryUsec
            }
        }
    }

    private func take(_ operation: LeasedOperation) {
        guard let unit = UnitFailure.unit(inPayload: operation.payload) else {
            return report(
                UnitAttempt(operation, unit: ""),
                .failed(UnitFailure(unit: "", result: "invalid").json))
        }
        let attempt = UnitAttempt(operation, unit: unit)
        attempt.extendAtUsec = loop.nowUsec + UnitWorker.extendUsec
        attempts[attempt.id] = attempt
        look(attempt)
    }

    /// Says what is due about an attempt.
    func tend(_ attempt: UnitAttempt) {
        let nowUsec = loop.nowUsec
        if let moment = attempt.provenAtUsec, moment <= nowUsec {
            attempt.provenAtUsec = nil
            report(attempt, .succeeded)
        }
        if let moment = attempt.lookAtUsec, moment <= nowUsec, attempt.phase != .ended {
            attempt.lookAtUsec = nil
            look(attempt)
        }
        guard !attempt.callIsOut, link != nil else { return }
        if attempt.phase == .ended {
            if attempt.reportAtUsec <= nowUsec, let outcome = attempt.outcome {
                report(attempt, outcome)
            }
        } else if attempt.extendAtUsec <= nowUsec {
            extend(attempt)
        }
    }

    private func extend(_ attempt: UnitAttempt) {
        attempt.callIsOut = true
        link?.calls.extend(
            attempt.id, token: attempt.token, holderProcessID: OwnProcess.id
        ) { [unowned self] answer in
            attempt.callIsOut = false
            attempt.extendAtUsec = loop.nowUsec + UnitWorker.extendUsec
            if case .failure(let error) = answer, error.endsAttempt {
                // Cancelled or replaced. The unit is systemd's: it is not stopped for that.
                Notice.notice.say("unit \(attempt.unit) is no longer watched: \(error)")
                attempts[attempt.id] = nil
            } else {
                tend(attempt)
            }
        }
    }

    func report(_ attempt: UnitAttempt, _ outcome: RetryClient.Outcome) {
        attempt.phase = .ended
        attempt.outcome = outcome
        attempt.provenAtUsec = nil
        attempt.reportAtUsec = loop.nowUsec + UnitWorker.retryUsec
        attempts[attempt.id] = attempt
        guard let link, !attempt.callIsOut else { return }
        attempt.callIsOut = true
        link.calls.report(attempt.id, token: attempt.token, outcome, leaseNext: 0) {
            [unowned self] answer in
            attempt.callIsOut = false
            switch answer {
            case .success: attempts[attempt.id] = nil
            case .failure(let error) where error.code == .storeUnavailable:
                attempt.reportAtUsec = loop.nowUsec + UnitWorker.retryUsec
            case .failure(let error):
                Notice.warning.say("operation \(attempt.id): its report did not count: \(error)")
                attempts[attempt.id] = nil
            }
        }
    }
}

extension ClientError {
    /// The lease is lost for good.
    fileprivate var endsAttempt: Bool { code == .staleLease || code == .noSuchOperation }
}
