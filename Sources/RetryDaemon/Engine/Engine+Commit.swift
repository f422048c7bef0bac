import JSON
import RetryCore
import RetryModel
import RetryStore
import SystemKit
import Varlink

/// Handing batches to the store, and what follows when they are done.
extension Engine {
    /// The end of a turn: serves waiting workers, hands the batch over when the store is free,
    /// sends what may go out.
    func endTurn() {
        serveWaiters()
        handOver()
        sendAll()
    }

    /// Hands the filling batch to the store unless one is waiting there already: while the store
    /// syncs, the next batch fills by itself (group commit).
    func handOver() {
        guard !filling.isEmpty, store.isIdle else { return }
        callsSinceHandOver = 0
        if now.instant - anchorSavedAt >= .minutes(1) { saveAnchor() }
        counters.batches += 1
        submitted = filling.sequence
        submittedReads[submitted] = fillingReads
        fillingReads = []
        let batch = filling
        filling = store.makeBatch(sequence: submitted + 1)
        store.submit(batch)
    }

    func saveAnchor() {
        anchorSavedAt = now.instant
        filling.saveAnchor(timeLine.renewedAnchor(at: now))
    }

    /// The store is done with batches: answers go out, waiting calls go on.
    func storeCompleted() {
        for completion in store.takeCompletions() {
            switch completion.kind {
            case .batch: break
            case .probe:
                probed(completion.outcome)
                continue
            case .upkeep:
                if case .failed(let error) = completion.outcome { journal.upkeepFailed("\(error)") }
                continue
            }
            let handlers = submittedReads.removeValue(forKey: completion.sequence) ?? []
            switch completion.outcome {
            case .committed:
                stored = completion.sequence
                releaseAnswers()
                var number = 0
                completion.forEachRead { result in
                    handlers[number](result)
                    number += 1
                }
            case .failed(let error):
                commitFailed(completion.sequence, error)
            }
            store.recycle(completion.batch)
        }
    }

    private func releaseAnswers() {
        for case let connection? in connections where connection.replies.waiting > 0 {
            connection.replies.stored(through: stored)
            touch(connection)
        }
    }

    // MARK: When it cannot be stored

    /// Nothing of the batch is stored, and what the filling one holds was built upon it: all
    /// answers that wait become errors, and memory is made to agree with the disk again.
    private func commitFailed(_ sequence: UInt64, _ error: StoreError) {
        if storeState == .serving { journal.storeFailed("\(error)", path: identity.storePath) }
        storeState = .failing("\(error)")
        stored = sequence
        submittedReads = [:]
        fillingReads = []
        var writer = JSONWriter()
        writer.refusal(.storeUnavailable("\(error)"), of: nil)
        for case let connection? in connections { fail(connection, with: writer.bytes) }
        rebuild()
    }

    private func fail(_ connection: Connection, with error: [UInt8]) {
        connection.replies.failAll(with: error)
        switch connection.pause {
        case .none, .waiting:
            break
        case .asking:
            error.withUnsafeBufferPointer { error in
                connection.replies.append(error, after: 0, stored: stored)
            }
            connection.pause = .none
        case .listing:
            connection.pause = .none
        case .stream:
            // An error ends its call, and the stream missed something.
            return close(connection)
        }
        touch(connection)
    }

    /// Takes the state from the store again: what the core did since the failed batch began is
    /// undone.
    private func rebuild() {
        scheduler = Scheduler(seed: Entropy.seed(), limits: scheduler.limits)
        ruleNames = RuleNames()
        ruleNames.rulesChanged(count: settings.ruleCount)
        store.stop()
        do {
            try restore()
            try store.start()
        } catch {
            fatal = error
            return
        }
        putPoliciesInForce()
        watchRestoredHolders()
        // What these ordered stored follows from the disk; it is ordered again at the next start.
        filling = store.makeBatch(sequence: submitted + 1)
        fillingReads = []
    }

    /// Hands over what is left, at the end of the daemon.
    func finish() {
        if store.isIdle { return handOver() }
        // A commit is in flight; the calls that fill the next batch were not answered.
    }

    /// Asked for now and then while the store fails.
    func probeStore() {
        guard storeState != .serving else { return }
        store.probe()
    }

    private func probed(_ outcome: StoreCompletion.Outcome) {
        guard case .committed = outcome, storeState != .serving else { return }
        storeState = .serving
        journal.storeRecovered(path: identity.storePath)
    }
}
