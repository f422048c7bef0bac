import RetryModel
import RetryStore
import SystemKit

/// Handing batches to the store, and what follows when they are done.
extension Engine {
    /// The end of a turn: serves waiting workers, hands the batch over when the store is free,
    /// sends what may go out.
    func endTurn() {
        repeat {
            serveWaiters()
            if companyWaitUsec == nil { handOver() }
            useRoom()
            sendAll()
        } while useAnswerRoom()
    }

    /// Hands the filling batch to the store unless one is waiting there already: while the store
    /// syncs, the next batch fills by itself (group commit).
    func handOver() {
        if filling.isEmpty, store.isIdle { return journal.settled() }
        guard !filling.isEmpty, store.isIdle else { return }
        journal.handedOver()
        callsSinceHandOver = 0
        if storeState == .serving, now.instant - anchorSavedAt >= .minutes(1) { saveAnchor() }
        counters.batches += 1
        submitted = filling.sequence
        if storeBusySince == nil { storeBusySince = now }
        handedOverUsec = Clocks.monotonicUsec()
        submittedReads[submitted] = fillingReads
        fillingReads = []
        diskRoom.handOver(filling.byteCount)
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
                storeAnswered()
                submitClock.stored(through: stored, at: now.instant, into: &submitDuration)
                journal.committed()
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

    /// How long a batch may take before it is told.
    static let storeSlowAfter = Span.seconds(5)

    /// Asked for now and then: a disk that hangs is told, and the daemon is not ended for it.
    func lookAfterStore() {
        guard let since = storeBusySince, !isStoreSlow,
            now.instant - since.instant >= Engine.storeSlowAfter
        else { return }
        isStoreSlow = true
        journal.storeIsSlow(since: since.wall, path: identity.storePath)
    }

    private func storeAnswered() {
        if isStoreSlow, let since = storeBusySince {
            let seconds = (now.instant - since.instant).usec / 1_000_000
            journal.storeAnswers(path: identity.storePath, seconds: seconds)
        }
        isStoreSlow = false
        storeBusySince = stored < submitted ? now : nil
    }

    private func releaseAnswers() {
        let tokens = awaitingStore
        awaitingStore = []
        let nowUsec = Clocks.monotonicUsec()
        company.begin(atUsec: nowUsec, batchTook: nowUsec - handedOverUsec)
        for token in tokens {
            guard let connection = connection(token) else { continue }
            connection.isAwaitingStore = false
            let waiting = connection.replies.waiting
            connection.replies.stored(through: stored)
            touch(connection)
            awaitStore(connection)
            if connection.pause == .none {
                connection.expected = company.expect(waiting - connection.replies.waiting)
            }
        }
    }

    /// Takes note of a connection whose answers wait for a batch.
    func awaitStore(_ connection: Connection) {
        guard connection.replies.waiting > 0, !connection.isAwaitingStore,
            let token = connection.token
        else { return }
        connection.isAwaitingStore = true
        awaitingStore.append(token)
    }

    /// How long the batch that fills should wait for more calls; nil: not at all.
    var companyWaitUsec: Int64? {
        guard !filling.isEmpty, store.isIdle else { return nil }
        return company.waitUsec(atUsec: Clocks.monotonicUsec())
    }

    /// Hands over what is left, at the end of the daemon.
    func finish() {
        isStopping = true
        guard storeState == .serving, store.isIdle else {
            // A commit is in flight; the calls that fill the next batch were not answered.
            return
        }
        saveAnchor()
        handOver()
    }
}
