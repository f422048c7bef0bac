import RetryCore
import RetryModel
import Support

/// The end of a run: all trouble stops, every level is on, and everything must come to an end.
extension World {
    mutating func drain() throws {
        note("the trouble ends")
        for worker in workers { try observe(shell.holderDied(worker.holder, now: now)) }
        let worker = newWorker()
        workers = [worker]
        // What waits for a date waits long when the wall clock was set back again and again.
        let end = now.instant + .days(3)
        while now.instant < end {
            try turnAllOn()
            try resumeAll()
            try retryParked()
            for queue in World.queues { try runAll(queue, worker.holder) }
            settle()
            for answer in shell.takeAnswers() { try promises.take(answer, shell) }
            // With nothing due any more, what is left is never reached.
            guard shell.core.counts.live > 0, let next = shell.core.nextDue else { break }
            try advance(max(next - now.instant, .zero))
        }
        try ledger.checkAll(shell, now: now)
        try promises.checkKept(shell, now: now)
        let left = shell.core.ids { $0.state.isLive }.map(\.rawValue)
        guard left.isEmpty else {
            throw Violation(rule: .reachable, message: "\(left) never came to an end")
        }
    }

    private mutating func turnAllOn() throws {
        for view in shell.core.signals(visibleTo: World.worker) where !view.record.isOn {
            let now = now
            let told = shell.tell { core, effects in
                _ = core.signalSet(
                    view.record.name, isOn: true, by: 0, lasting: nil, now: now, into: &effects)
            }
            try observe(told.effects)
        }
    }

    private mutating func resumeAll() throws {
        for pause in shell.core.pauses(visibleTo: World.worker) {
            let now = now
            let told = try shell.tell { core, effects in
                _ = try core.resumeAsked(
                    pause.record.scope, by: World.worker, now: now, into: &effects)
            }
            try observe(told.effects)
        }
    }

    private mutating func retryParked() throws {
        for id in shell.core.ids(where: { $0.state == .parked }) {
            let now = now
            let told = try shell.tell { core, effects in
                try core.retryAsked(id, by: World.worker, now: now, into: &effects)
            }
            ledger.retried(id, wasGivenUp: true, now: now)
            try observe(told.effects)
        }
    }

    private mutating func runAll(_ queue: String, _ holder: LeaseHolder) throws {
        while true {
            let grants = try lease(queue, count: 50, holder)
            for grant in grants {
                let told = try shell.report(
                    grant.record.id, grant.record.token, .succeeded, now: now)
                ledger.succeeded(grant.record.id)
                ledger.sparing.reported(grant.lane, succeeded: true)
                try observe(told.effects)
            }
            if grants.isEmpty { return }
        }
    }
}
