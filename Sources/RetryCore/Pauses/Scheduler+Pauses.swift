package import RetryModel

/// Pause and resume: whole groups are stopped at once, and no operation is touched or stored.
extension Scheduler {
    /// Somebody stops a queue, a destination, a credential, a user's operations or everything.
    ///
    /// What runs goes on. A second pause of the same scope by the same author takes the place of
    /// the first; those of others stand beside it.
    /// - Parameter lasting: How long; nil: until somebody resumes.
    /// - Returns: How many waiting operations it holds.
    /// - Throws: `.permissionDenied` when the scope has others' operations, `.quotaExceeded`.
    package mutating func pauseAsked(
        _ scope: PauseScope, reason: String, lasting: Span?, by caller: Caller, now: Now,
        into effects: inout Effects
    ) throws(Refusal) -> Int {
        try checkRight(to: scope, caller)
        let record = PauseRecord(
            scope: scope, author: caller.user, reason: reason, since: now.wall,
            until: lasting.map { now.instant + $0 })
        let index: PauseIndex
        if let known = pauses.number(of: scope, by: caller.user) {
            index = known
            pauses.set(index, to: record)
        } else {
            guard pauses.count(by: caller.user) < Limits.pausesPerUserMax else {
                throw .quotaExceeded("pauses-per-user-max")
            }
            index = pauses.insert(record)
        }
        effects.add(.savePause(index, record))
        pausesChanged(now: now, into: &effects)
        return waitingCount(in: scope)
    }

    /// Somebody takes pauses of a scope back: an admin all of them, a user his own. What they held
    /// is released by and by.
    ///
    /// - Returns: How many waiting operations they held that no other pause holds; nil: nothing
    ///   like that is paused.
    /// - Throws: `.permissionDenied` when the scope has others' operations, or others paused it.
    package mutating func resumeAsked(
        _ scope: PauseScope, by caller: Caller, now: Now, into effects: inout Effects
    ) throws(Refusal) -> Int? {
        try checkRight(to: scope, caller)
        let known = pauses.numbers(of: scope)
        guard let first = known.first else { return nil }
        let own = known.filter { caller.isAdmin || pauses[$0].author == caller.user }
        guard !own.isEmpty else {
            throw .permissionDenied(
                "it was paused by user \(pauses[first].author): an admin can resume it")
        }
        for index in own { removePause(index, now: now, into: &effects) }
        return waitingCount(in: scope) { pauses.first(holding: $0) == nil }
    }

    /// A pause as ListPauses shows it.
    package struct PauseView: Hashable, Sendable {
        package var record: PauseRecord
        /// Waiting operations it holds.
        package var waiting: Int
    }

    /// The pauses that concern a caller, the oldest first.
    package func pauses(visibleTo caller: Caller) -> [PauseView] {
        pauses.numbers.map { pauses[$0] }.filter { record in
            guard let owner = record.scope.owner else { return true }
            return caller.mayAct(onOperationsOf: owner)
        }.map { PauseView(record: $0, waiting: waitingCount(in: $0.scope)) }
    }

    /// A stored pause. Pauses are restored before lanes.
    package mutating func pauseRestored(_ index: PauseIndex, _ record: PauseRecord) {
        pauses.restore(index, record)
    }

    // MARK: Parts

    mutating func endPauses(now: Now, into effects: inout Effects) {
        while let end = pauses.nextEnd, end.at <= now.instant {
            removePause(end.index, now: now, into: &effects)
        }
    }

    private mutating func removePause(_ index: PauseIndex, now: Now, into effects: inout Effects) {
        pauses.remove(index)
        effects.add(.removePause(index))
        pausesChanged(now: now, into: &effects)
    }

    /// Looks at every group: there are few beside operations.
    private mutating func pausesChanged(now: Now, into effects: inout Effects) {
        for group in ready.groupNumbersInUse {
            let block = blockNow(group, now: now)
            setBlock(group, block, .resume, now: now, into: &effects)
        }
        releaseHerd(now: now, into: &effects)
    }

    private func checkRight(to scope: PauseScope, _ caller: Caller) throws(Refusal) {
        if caller.isAdmin || scope.owner == caller.user { return }
        throw .permissionDenied(
            scope.owner == nil
                ? "pausing the operations of all users is for admins: name yourself as the owner"
                : "the operations are another user's")
    }

    private func waitingCount(
        in scope: PauseScope, where fits: (Lane) -> Bool = { _ in true }
    ) -> Int {
        var count = 0
        for group in ready.groupNumbersInUse {
            let lane = laneLike(group)
            guard scope.holds(lane), fits(lane) else { continue }
            let tally = ready.tally(group)
            count += tally.scheduled + tally.held + tally.ready
        }
        return count
    }

    /// A lane with all that pauses look at.
    func laneLike(_ group: ReadyQueues.GroupIndex) -> Lane {
        let key = ready.key(group)
        var lane = Lane(
            owner: key.owner, group: 0, queue: ready.name(of: key.queue), kind: .custom, scope: "")
        lane.destination = key.destination.map { destinations[$0].name.name }
        if let credential = key.credential,
            case .credential(let name, _) = signals[credential].name
        {
            lane.credential = name
        }
        return lane
    }

    /// What stops a group at present: a pause, else its destination.
    func blockNow(_ group: ReadyQueues.GroupIndex, now: Now) -> Block {
        if let pause = pauses.first(holding: laneLike(group)) { return .paused(pause) }
        return ready.key(group).destination.map { destinations.block($0, at: now.instant) } ?? .none
    }
}
