package import RetryModel

/// What callers look at: states, reasons, lists. Nothing here changes anything.
extension Scheduler {
    /// An operation as it stands, with its derived face and reason.
    package struct View: Hashable, Sendable {
        package var record: OperationRecord
        /// One of all eight, where the record knows the stored six only.
        package var state: OperationState
        /// The primary one.
        package var reason: Reason
        package var others: [Reason]
    }

    package func view(_ id: OperationID, now: Now) -> View? {
        table.slot(of: id).map { view($0, now: now) }
    }

    /// An operation the caller may see.
    package func view(
        _ id: OperationID, for caller: Caller, now: Now
    ) throws(Refusal) -> View {
        guard let slot = table.slot(of: id) else { throw .noSuchOperation(id) }
        guard caller.mayAct(onOperationsOf: lanes[table[slot].lane].owner) else {
            // As if it were not there: who may not see it is not told that it is.
            throw .noSuchOperation(id)
        }
        return view(slot, now: now)
    }

    /// Why an operation does not run at this moment: the primary reason, then the others.
    package func reasons(_ id: OperationID, now: Now) -> [Reason] {
        table.slot(of: id).map { reasons($0, now: now) } ?? []
    }

    /// How many attempts of a queue run. It looks at all that run: for people who ask.
    package func runningCount(queue name: String) -> Int {
        guard let queue = ready.queueIndex(named: name) else { return 0 }
        var count = 0
        for list in leasedBy.values {
            list.visit(in: table) { slot in
                if ready.queue(of: lanes[table[slot].lane].group) == queue { count += 1 }
            }
        }
        return count
    }

    /// What a filter looks at: little, because it is asked of every operation.
    package struct Row {
        package var id: OperationID
        package var state: OperationState
        package var lane: LaneIndex
        package var rule: RuleIndex
        package var keyHash: UInt64
    }

    /// How far the table reaches: `ids` looks through it piece by piece, so that a large one
    /// holds up nobody. An operation stays in its slot.
    package var slotsUsed: Int { Int(table.slotsUsed) }

    /// The ids of the operations of some slots that match, in ascending order.
    package func ids(inSlots slots: Range<Int>, where matches: (Row) -> Bool) -> [OperationID] {
        var found: [OperationID] = []
        for slot in slots.clamped(to: 0..<slotsUsed) {
            let operation = table[SlotNumber(slot)]
            if operation.id.rawValue == 0 { continue }
            let row = Row(
                id: operation.id, state: shownState(SlotNumber(slot)), lane: operation.lane,
                rule: operation.rule, keyHash: operation.keyHash)
            if matches(row) { found.append(operation.id) }
        }
        found.sort()
        return found
    }

    // MARK: Parts

    private func view(_ slot: SlotNumber, now: Now) -> View {
        let reasons = reasons(slot, now: now)
        return View(
            record: record(slot), state: shownState(slot), reason: reasons[0],
            others: Array(reasons.dropFirst()))
    }
}
