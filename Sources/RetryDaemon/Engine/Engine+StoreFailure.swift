import JSON
import RetryCore
import RetryModel
import RetryStore
import SystemKit
import Varlink

/// When the store cannot be written: nothing that was not stored is ever told, new work is refused
/// by name, reads go on, and a probe tells when it works again (spec section 3).
///
/// Until then the core stands still: no time passes for it, no lease is lost, no level falls. Each
/// of these would have to be stored. Afterwards the core is filled from the disk once more and
/// finds what happened meanwhile as it does at a start of the daemon.
extension Engine {
    /// Nothing of the batch is stored, and what the filling one holds was built upon it: all
    /// answers that wait become errors, and memory is made to agree with the disk again.
    func commitFailed(_ sequence: UInt64, _ error: StoreError) {
        if storeState == .serving { journal.storeFailed("\(error)", path: identity.storePath) }
        storeState = .failing("\(error)")
        journal.commitFailed()
        stored = sequence
        storeBusySince = nil
        submitClock.removeAll()
        isStoreSlow = false
        submittedReads = [:]
        fillingReads = []
        filling = store.makeBatch(sequence: submitted + 1)
        var writer = JSONWriter()
        writer.refusal(.storeUnavailable("\(error)"), of: nil)
        var heldUp: [Connection] = []
        for case let connection? in connections {
            if fail(connection, with: writer.bytes) { heldUp.append(connection) }
        }
        if isStopping { return }
        rebuild()
        // What they sent behind the call that failed lies here already.
        for connection in heldUp { takeCalls(connection) }
    }

    /// - Returns: Whether a call that held the connection up has ended.
    private func fail(_ connection: Connection, with error: [UInt8]) -> Bool {
        connection.replies.failAll(with: error)
        defer { touch(connection) }
        switch connection.pause {
        case .none, .waiting:
            return false
        case .asking(let isOneway):
            if !isOneway {
                error.withUnsafeBufferPointer { error in
                    connection.replies.append(error, after: 0, stored: stored)
                }
            }
            connection.pause = .none
            return true
        case .running:
            connection.pause = .none
            return true
        case .stream:
            // An error ends its call, and the stream missed something.
            close(connection)
            return false
        }
    }

    /// Takes the state from the store again: what the core did since the failed batch began is
    /// undone.
    private func rebuild() {
        scheduler = Scheduler(seed: Entropy.seed(), limits: scheduler.limits)
        scheduler.clockTrustChanged(to: isClockTrusted)
        ruleNames = RuleNames()
        ruleNames.rulesChanged(count: settings.ruleCount)
        readyQueues = []
        store.stop()
        do {
            try restore()
            try store.start()
        } catch {
            fatal = error
            return
        }
        putPoliciesInForce()
        watchRestoredProcesses()
    }

    /// Asked for now and then while the store fails.
    func probeStore() {
        guard storeState != .serving else { return }
        store.probe()
    }

    func probed(_ outcome: StoreCompletion.Outcome) {
        guard case .committed = outcome, storeState != .serving, !isStopping else { return }
        storeState = .serving
        journal.storeRecovered(path: identity.storePath)
        rebuild()
        if areSessionsInForce { putSessionsInForce() }
        catchUpWithHost()
        wakeWaiters()
    }
}
