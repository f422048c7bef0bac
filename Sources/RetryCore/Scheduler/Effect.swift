package import RetryModel

/// What the core orders done. The engine carries effects out in their order; it decides nothing.
package enum Effect: Hashable, Sendable {
    // For the store, in the batch that is filling.
    case save(OperationRecord)
    case remove(OperationID)
    case saveLane(LaneIndex, Lane)
    /// Nothing is of that lane any more; its number may be given again.
    case removeLane(LaneIndex)
    case saveSignal(SignalIndex, SignalRecord)
    case removeSignal(SignalIndex)
    case savePause(PauseIndex, PauseRecord)
    case removePause(PauseIndex)
    case saveDestination(DestinationIndex, DestinationRecord)
    case removeDestination(DestinationIndex)
    case savePolicyName(PolicyIndex, String)
    /// The failure of that event_id was decided for that operation. `until`: when it is
    /// forgotten, its operation being gone; nil while that is there. A later one of the same hash
    /// takes the place of the earlier one.
    case saveEvent(hash: UInt64, OperationID, until: Instant?)
    case removeEvent(hash: UInt64)
    /// Ids up to that one may be given after a restart without asking again.
    case reserveIDs(through: OperationID)

    // For watchers and the journal.
    case changed(OperationID, Change)
    /// A sign-in that worked until now was refused by an attempt of that operation: all of its
    /// owner's operations that name it wait for the renewal. Said once for each refusal.
    case credentialRefused(SignalName, by: OperationID)
    /// A destination failed too often, may be probed, or works again.
    case breakerChanged(DestinationName, BreakerState)
    /// All of a herd that had to be kept back has been released.
    case herdReleased(ReleaseReport)
    /// Workers that wait for that queue can be served: one operation or more became ready.
    case becameReady(QueueIndex)
}

/// What happened to an operation, as Watch and the journal tell it.
package enum Change: Hashable, Sendable {
    case accepted
    case attemptFailed
    case succeeded
    case gaveUp(Cause)
    case scheduled
    case held
    case ready
    case leased
    case leaseLost
    case released
    case parked(Cause)
    case cancelled
    case revived
    case replaced
    /// Its owner brought what a parked one lacked.
    case resolved
    /// A person chose what becomes of it.
    case recovered(Recovery)
    case removed
}

/// What became of an operation by a person's choice.
package enum Recovery: Hashable, Sendable {
    case retried
    case cancelled
}

/// The effects of one event, in one buffer that is used again and again.
package struct Effects {
    package private(set) var all: [Effect] = []
    /// The queue of the last `becameReady` in the buffer: thousands in a row say no more than one.
    private var lastReady: QueueIndex?

    package init() {}

    mutating func add(_ effect: Effect) {
        all.append(effect)
    }

    mutating func addReady(_ queue: QueueIndex) {
        guard queue != lastReady else { return }
        lastReady = queue
        all.append(.becameReady(queue))
    }

    package mutating func removeAll() {
        all.removeAll(keepingCapacity: true)
        lastReady = nil
    }
}
