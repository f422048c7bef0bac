import RetryCore
import RetryModel
import RetryStore
import SystemKit

/// Carrying out what the core orders.
extension Engine {
    /// - Parameters:
    ///   - id: The operation the event was about, if it was about one; - decision: what was
    ///     decided for it. For watchers and the journal.
    func carryOutEffects(of id: OperationID? = nil, _ decision: Decision? = nil) {
        let all = effects.all
        if all.isEmpty { return }
        let hasWaiters = !waiters.all.isEmpty
        let hasWatches = !watches.isEmpty
        var refused: [(SignalName, OperationID)] = []
        for effect in all {
            switch effect {
            case .save(let record): filling.save(record)
            case .remove(let id): filling.remove(id)
            case .saveLane(let index, let lane): filling.saveLane(index, lane)
            case .removeLane(let index): filling.removeLane(index)
            case .removeSignal(let index): filling.removeSignal(index)
            case .savePause(let index, let record): filling.savePause(index, record)
            case .removePause(let index): filling.removePause(index)
            case .saveDestination(let index, let record): filling.saveDestination(index, record)
            case .removeDestination(let index): filling.removeDestination(index)
            case .breakerChanged(let name, let state): journal.breakerChanged(name, state)
            case .herdReleased(let report): journal.herdReleased(report)
            case .saveSignal(let index, let record): filling.saveSignal(index, record)
            case .savePolicyName(let index, let name): filling.savePolicyName(index, name)
            case .saveEvent(let hash, let id, let until):
                filling.saveEvent(hash, id, until: until)
            case .removeEvent(let hash): filling.removeEvent(hash)
            case .reserveIDs(let through): filling.reserveIDs(through: through.rawValue)
            case .becameReady(let queue):
                if hasWaiters, !readyQueues.contains(queue) { readyQueues.append(queue) }
            case .credentialRefused(let name, let id): refused.append((name, id))
            case .changed(let changed, let change):
                followUp(change, changed)
                let told = changed == id ? decision : nil
                if hasWatches { tellWatches(change, changed, told) }
                journal.operation(change, changed, self, told)
            }
        }
        // Before the array is emptied, or that would copy it.
        _ = consume all
        effects.removeAll()
        // Told when all that wait for it are in their places.
        for (name, id) in refused { credentialRefused(name, by: id) }
    }

    private func followUp(_ change: Change, _ id: OperationID) {
        switch change {
        case .gaveUp:
            counters.gaveUp += 1
        case .leaseLost:
            saveAttempt(id, .lost, by: identity.user)
            leftStream(id)
        case .attemptFailed, .succeeded, .released, .cancelled, .replaced:
            leftStream(id)
        case .accepted, .scheduled, .held, .ready, .leased, .parked, .revived, .resolved,
            .recovered, .removed:
            break
        }
    }

    /// The time has come for something: due operations, waits that end.
    func timePassed() {
        // What it brings must be stored.
        if storeState == .serving {
            scheduler.timePassed(now: now, into: &effects)
            carryOutEffects()
        }
        endWaits()
    }

    /// When `timePassed` must be called next, on CLOCK_BOOTTIME; nil: at no time.
    var nextDueBoottimeUsec: Int64? {
        guard let next = nextDue else { return nil }
        return timeLine.boottimeUsec(of: next)
    }

    private var nextDue: Instant? {
        let due = storeState == .serving ? scheduler.peekNextDue() : nil
        guard let end = waiters.nextEnd else { return due }
        return min(due ?? end, end)
    }
}
