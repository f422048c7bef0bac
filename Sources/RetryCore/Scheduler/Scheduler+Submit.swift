package import RetryModel

/// What is asked to be tried again, once the wire's words are read.
package struct Submission: Sendable {
    package var lane: Lane
    /// Keyed hash over owner, queue and key; 0: no key.
    package var keyHash: UInt64 = 0
    /// Keyed hash over owner and the failure's event_id; 0: none.
    package var eventHash: UInt64 = 0
    package var priority: Int8 = 0
    package var isIdempotent: Bool?
    package var retriesUnknown = false
    package var deadline: WallTime?
    /// Payload, key and what else is kept of it on disk, the failure apart.
    package var bytes = 0

    package init(lane: Lane) {
        self.lane = lane
    }
}

/// A failure as the rules read it.
package struct ToldFailure: Sendable {
    package var verdict: Verdict
    /// The verdict's rule as the store numbers it; 0 when none matched.
    package var rule: RuleIndex
    /// What is kept of it on disk.
    package var bytes: Int

    package init(_ verdict: Verdict, rule: RuleIndex, bytes: Int = 0) {
        self.verdict = verdict
        self.rule = rule
        self.bytes = bytes
    }
}

extension Scheduler {
    /// An operation failed and is handed over. Its told failure is attempt 1.
    ///
    /// - Throws: `.quotaExceeded`; nothing has changed then.
    package mutating func operationSubmitted(
        _ submission: Submission, _ failure: ToldFailure, now: Now, into effects: inout Effects
    ) throws(Refusal) -> (id: OperationID, decision: Decision) {
        let known = lanes.index(of: submission.lane)
        let size = StoredSize(bytes: submission.bytes + failure.bytes)
        try checkQuota(of: submission.lane.owner, lane: known, size)
        let id = nextOperationID(into: &effects)
        let lane = known ?? laneIndex(of: submission.lane, now: now, into: &effects)
        var operation = OperationSlot(id: id, lane: lane)
        operation.keyHash = submission.keyHash
        operation.size = size
        operation.take(submission)
        let decision = firstDecision(
            &operation, submission, failure, now: now, into: &effects)
        let slot = insert(operation)
        setDeadline(slot, submission.deadline)
        insertKey(slot)
        effects.add(.changed(id, .accepted))
        remember(event: submission.eventHash, of: id, into: &effects)
        carryOut(decision, slot, now: now, into: &effects)
        return (id, decision)
    }

    /// What a second Submit of a key did to the operation that has it (docs/STATES.md).
    package enum KeyOutcome: Sendable {
        /// It goes on as it was.
        case existing
        /// A dead one starts anew with the payload and failure of the call.
        case revived(Decision)
        /// It has the payload and failure of the call now.
        case replaced(Decision)
    }

    /// An operation was handed over whose key another one has.
    ///
    /// - Parameter id: The operation that has the key: live or dead.
    package mutating func keySubmittedAgain(
        _ id: OperationID, mode: KeyMode, _ submission: Submission, _ failure: ToldFailure,
        now: Now, into effects: inout Effects
    ) -> KeyOutcome {
        guard let slot = table.slot(of: id) else {
            preconditionFailure("the operation with this key is gone")
        }
        let state = table[slot].state
        switch (mode, state) {
        case (_, .succeeded), (_, .cancelled):
            preconditionFailure("an ended operation has no key")
        case (.keep, .scheduled), (.keep, .held), (.keep, .ready), (.keep, .leased),
            (.keep, .parked):
            return .existing
        case (.coalesce, .scheduled), (.coalesce, .held), (.coalesce, .ready),
            (.coalesce, .leased), (.coalesce, .parked):
            raisePriority(slot, to: submission.priority, now: now, into: &effects)
            return .existing
        case (.keep, .dead), (.coalesce, .dead):
            effects.add(.changed(id, .revived))
            return .revived(startAnew(slot, submission, failure, now: now, into: &effects))
        case (.replace, .scheduled), (.replace, .held), (.replace, .ready), (.replace, .leased),
            (.replace, .parked), (.replace, .dead):
            effects.add(.changed(id, .replaced))
            return .replaced(startAnew(slot, submission, failure, now: now, into: &effects))
        }
    }

    /// The operations that have a key, live or dead. More than one only when hashes collide: the
    /// caller compares the key itself.
    package func operations(withKeyHash hash: UInt64) -> [OperationID] {
        keys.all(hash: hash) { table[$0].keyHash == hash }.map { table[$0].id }
    }

    /// The operation whose failure was told with that event_id: it may be gone by now.
    package func operation(ofEvent hash: UInt64) -> OperationID? { events.operation(of: hash) }

    /// The limit that keeps an owner from handing over so many more operations, which keep so
    /// many bytes together; nil: none does.
    package func limit(for count: Int, bytes: Int, of owner: UserID) -> String? {
        if counts.live + count > limits.operationsMax { return "operations" }
        if owner == 0 { return nil }
        if owners.counts(of: owner).live + count > limits.operationsPerUserMax {
            return "operations-per-user"
        }
        return owners.bytes(of: owner) + bytes > limits.bytesPerUserMax ? "bytes-per-user" : nil
    }

    // MARK: Parts

    /// - Parameter lane: One of the owner's, where it is known: then no name is looked up.
    private func checkQuota(
        of owner: UserID, lane: LaneIndex?, _ size: StoredSize
    ) throws(Refusal) {
        guard counts.live < limits.operationsMax else {
            throw .quotaExceeded("operations")
        }
        guard owner != 0 else { return }
        let own = lane.map { owners[lanes[$0].ownerNumber] } ?? owners.counts(of: owner)
        guard own.live < limits.operationsPerUserMax else {
            throw .quotaExceeded("operations-per-user")
        }
        let kept = lane.map { owners.bytes(ofNumber: lanes[$0].ownerNumber) }
        guard (kept ?? owners.bytes(of: owner)) + size.bytes <= limits.bytesPerUserMax else {
            throw .quotaExceeded("bytes-per-user")
        }
        guard lane != nil || lanes.count(of: owner) < Limits.lanesPerUserMax else {
            throw .quotaExceeded("lanes-per-user-max")
        }
    }

    /// Ids come in blocks of 4096: one small write reserves a block, so no id is given twice
    /// although the newest ones may be gone from the store.
    private mutating func nextOperationID(into effects: inout Effects) -> OperationID {
        if nextID > reservedThrough {
            reservedThrough = nextID + 4_095
            effects.add(.reserveIDs(through: OperationID(rawValue: reservedThrough)))
        }
        defer { nextID += 1 }
        return OperationID(rawValue: nextID)
    }

    /// Decides a failure as the first one of its operation: all counters and limits are fresh.
    private mutating func firstDecision(
        _ operation: inout OperationSlot, _ submission: Submission, _ failure: ToldFailure,
        now: Now, into effects: inout Effects
    ) -> Decision {
        operation.startOver(at: now)
        return decide(
            &operation, deadline: submission.deadline, failure,
            untoldBeginning(operation.lane, failure), now: now, into: &effects)
    }

    /// The beginning of an attempt that was not leased: nobody knows how long ago it was, so it is
    /// taken to be of now. But a failure that was received before the sign-in was renewed is none
    /// of the renewed one.
    func untoldBeginning(_ lane: LaneIndex, _ failure: ToldFailure) -> AttemptBeginning {
        let lane = lanes[lane]
        var generation: UInt32?
        if let credential = lane.credential {
            let signal = signals[credential]
            let isRenewed = signal.isOn && signal.generation > 0
            let receivedAt = failure.verdict.receivedAt
            if !isRenewed || receivedAt.map({ $0 >= signal.changedAtWall }) ?? true {
                generation = signal.generation
            }
        }
        return AttemptBeginning(
            hadForeground: signals.isOn(lane.foreground), credentialGeneration: generation)
    }

    private mutating func startAnew(
        _ slot: SlotNumber, _ submission: Submission, _ failure: ToldFailure, now: Now,
        into effects: inout Effects
    ) -> Decision {
        let wasLeased = table[slot].state == .leased
        unplace(slot)
        if wasLeased { attemptEnded(slot, .unknown, now: now, into: &effects) }
        // A running attempt works on what was replaced: its report is fenced.
        fence(slot)
        var operation = table[slot]
        let lane = laneIndex(of: submission.lane, now: now, into: &effects)
        lanes.retain(lane)
        lanes.release(operation.lane)
        operation.lane = lane
        operation.take(submission)
        let decision = firstDecision(
            &operation, submission, failure, now: now, into: &effects)
        table[slot] = operation
        // The attempts on what was replaced are kept as well.
        setSize(slot, operation.size.adding(submission.bytes + failure.bytes))
        setDeadline(slot, submission.deadline)
        remember(event: submission.eventHash, of: table[slot].id, into: &effects)
        carryOut(decision, slot, now: now, into: &effects)
        forgetIdleNames(into: &effects)
        return decision
    }

    private mutating func raisePriority(
        _ slot: SlotNumber, to priority: Int8, now: Now, into effects: inout Effects
    ) {
        guard priority > table[slot].priority else { return }
        if table[slot].state == .ready {
            let isDammed = ready.isDammed(
                slot, group: lanes[table[slot].lane].group, positions)
            unplace(slot)
            table[slot].priority = priority
            place(slot, .ready, until: .never, isDammed: isDammed)
        } else {
            table[slot].priority = priority
        }
        effects.add(.save(record(slot)))
    }

    /// Makes every token given so far stale.
    mutating func fence(_ slot: SlotNumber) {
        table[slot].token.rawValue &+= 1
        table[slot].flags.remove(.tokenOpen)
    }
}

extension OperationSlot {
    /// Takes from a submit what the owner chose.
    fileprivate mutating func take(_ submission: Submission) {
        priority = submission.priority
        flags.subtract([.idempotenceKnown, .idempotent, .retriesUnknown])
        if let isIdempotent = submission.isIdempotent {
            flags.insert(.idempotenceKnown)
            if isIdempotent { flags.insert(.idempotent) }
        }
        if submission.retriesUnknown { flags.insert(.retriesUnknown) }
    }

    /// All counters and limits begin anew.
    fileprivate mutating func startOver(at now: Now) {
        begins(at: now)
        attempts = 0
        deferrals = 0
        recoveries = 0
        rule = 0
        ruleRepeats = 0
        foregroundRepeats = 0
        previousDelayMs = 0
    }
}
