import RetryCore
import RetryModel

/// A process that makes attempts.
struct Worker {
    var holder: LeaseHolder
    var isConnected = true
    var attempts: [Attempt] = []
}

/// An attempt as its worker knows it.
struct Attempt {
    var id: OperationID
    var token: LeaseToken
    var endsAt: Instant
}

/// Those who make the attempts: they die, come late, tell twice and lose their connections.
extension World {
    mutating func newWorker() -> Worker {
        nextProcess += 1
        return Worker(holder: LeaseHolder(user: 3_000, process: nextProcess, startTicks: 1))
    }

    // MARK: Leases

    mutating func workerAsks() throws {
        guard let worker = pick(workers), worker.isConnected, worker.attempts.count < 6,
            let queue = pick(World.queues)
        else { return }
        try lease(queue, count: 1 + Int(random.number(through: 2)), worker.holder)
    }

    /// Asks only where something was said to be ready, as a blocked worker is woken.
    @discardableResult
    mutating func lease(
        _ queue: String, count: Int, _ holder: LeaseHolder
    ) throws -> [Grant] {
        guard let index = shell.core.queueIndex(named: queue),
            shell.readyQueues.contains(index)
        else { return [] }
        let told = shell.lease(queue: queue, count: count, holder: holder, now: now)
        if told.result.count < count { shell.readyQueues.remove(index) }
        for grant in told.result {
            note("grant \(grant.record.id.rawValue), token \(grant.record.token.rawValue)")
            try ledger.granted(grant, now: now)
        }
        try observe(told.effects)
        if !told.result.isEmpty { shell.answer(.granted(holder, told.result)) }
        return told.result
    }

    /// The answer arrived, if who asked still lives and listens.
    mutating func begin(_ grants: [Grant], _ holder: LeaseHolder) {
        guard let index = workers.firstIndex(where: { $0.holder == holder }),
            workers[index].isConnected
        else { return }
        for grant in grants {
            // Some take longer than their lease stands and come late.
            let length = Span.milliseconds(random.number(through: chance(20) ? 90_000 : 8_000))
            workers[index].attempts.append(
                Attempt(
                    id: grant.record.id, token: grant.record.token,
                    endsAt: now.instant + length))
        }
    }

    // MARK: Attempts

    mutating func workerActs() throws {
        let busy = workers.indices.filter {
            workers[$0].isConnected && !workers[$0].attempts.isEmpty
        }
        guard let index = pick(busy) else { return }
        let place = Int(random.number(through: Int64(workers[index].attempts.count) - 1))
        let attempt = workers[index].attempts[place]
        guard attempt.endsAt <= now.instant else {
            if chance(60), try !extend(attempt) { workers[index].attempts.remove(at: place) }
            return
        }
        workers[index].attempts.remove(at: place)
        switch random.number(through: 19) {
        case 0..<8: try report(attempt, hasSucceeded: true)
        case 8..<16: try report(attempt, hasSucceeded: false)
        case 16: try release(attempt)
        case 17:
            // The answer was lost: it tells again.
            let hasSucceeded = chance(50)
            try report(attempt, hasSucceeded: hasSucceeded)
            try report(attempt, hasSucceeded: hasSucceeded)
        case 18:
            // It never tells.
            break
        default:
            // Later.
            var later = attempt
            later.endsAt = now.instant + .seconds(random.number(through: 120))
            workers[index].attempts.append(later)
        }
    }

    /// - Returns: Whether the worker may go on.
    private mutating func extend(_ attempt: Attempt) throws -> Bool {
        let now = now
        let mayGoOn =
            ledger.takes(attempt.token, of: attempt.id)
            && ledger[attempt.id]?.life == .live
        do {
            let told = try shell.tell { core, effects in
                try core.leaseExtended(
                    attempt.id, token: attempt.token, visibility: nil, holder: nil,
                    by: World.worker, now: now, into: &effects)
            }
            note("extend \(attempt.id.rawValue)")
            guard mayGoOn, told.result > now.instant else {
                throw Violation(
                    rule: .reportsCountOnce, message: "\(attempt.id.rawValue) was extended")
            }
            ledger.resumed(attempt.id)
            try observe(told.effects)
            return true
        } catch let refusal as Refusal {
            note("extend \(attempt.id.rawValue) refused: \(refusal)")
            guard !mayGoOn else {
                throw Violation(
                    rule: .reportsCountOnce, message: "\(attempt.id.rawValue): \(refusal)")
            }
            return false
        }
    }

    private mutating func report(_ attempt: Attempt, hasSucceeded: Bool) throws {
        let id = attempt.id
        let record = shell.core.view(id, now: now)?.record
        let scope = record.map { shell.core.lane($0.lane).scope } ?? ""
        let outcome =
            hasSucceeded ? AttemptOutcome.succeeded : .failed(failure(of: id), eventHash: 0)
        do {
            let told = try shell.report(id, attempt.token, outcome, now: now)
            note("report \(id.rawValue), token \(attempt.token.rawValue): \(hasSucceeded)")
            try ledger.checkTaken(true, attempt.token, of: id, "a report")
            let lane = ledger[id]?.lane
            if let lane { ledger.sparing.reported(lane, succeeded: hasSucceeded) }
            if let decision = told.result {
                ledger.decided(id, decision, scope: scope, now: now, isFirst: false)
            } else {
                ledger.succeeded(id)
            }
            try observe(told.effects)
            shell.answer(.reported(id, attempt.token, succeeded: hasSucceeded))
        } catch let refusal as Refusal {
            note("report \(id.rawValue) refused: \(refusal)")
            try ledger.checkTaken(false, attempt.token, of: id, "a report")
        }
    }

    private mutating func release(_ attempt: Attempt) throws {
        let delay = Span.milliseconds(random.number(through: 3_000))
        let now = now
        do {
            let told = try shell.tell { core, effects in
                try core.attemptReleased(
                    attempt.id, token: attempt.token, delay: delay, by: World.worker, now: now,
                    into: &effects)
            }
            note("release \(attempt.id.rawValue)")
            try ledger.checkTaken(true, attempt.token, of: attempt.id, "a release")
            ledger.released(attempt.id, until: told.result)
            if let lane = ledger[attempt.id]?.lane { ledger.sparing.released(lane) }
            try observe(told.effects)
        } catch let refusal as Refusal {
            note("release \(attempt.id.rawValue) refused: \(refusal)")
            try ledger.checkTaken(false, attempt.token, of: attempt.id, "a release")
        }
    }

    // MARK: Trouble

    mutating func workerFails() throws {
        guard let index = pick(Array(workers.indices)) else { return }
        let holder = workers[index].holder
        switch random.number(through: 3) {
        case 0:
            note("process \(holder.process) dies")
            // The daemon learns of it a little later, or by the end of the lease alone.
            if chance(80) {
                deaths.append((holder, now.instant + .milliseconds(random.number(through: 9_000))))
            }
            workers[index] = newWorker()
        case 1:
            note("process \(holder.process) is disconnected")
            workers[index].isConnected = false
            shell.disconnect(holder, now: now)
        default:
            workers[index].isConnected = true
        }
    }
}
