import RetryConfig
import RetryCore
import RetryModel
import RetryStore

/// The operations that a caller means by a filter: looked for a piece of the table at a time, then
/// given in the order of their ids.
///
/// Every operation that was there at the beginning and still is counts; later ones may.
final class Scan {
    let filter: FilterParameters
    let caller: Caller
    /// Only ids above this one.
    let after: OperationID
    /// What the filter means for each lane; a lane is looked at once.
    private var lanes: [LaneIndex: LaneMatch] = [:]
    private var slot = 0
    /// What was found, each piece in ascending order.
    private var pieces: [ArraySlice<OperationID>] = []

    /// What a filter says about the operations of one lane.
    private struct LaneMatch {
        var matches: Bool
        /// The hash that the filter's key has in this lane.
        var keyHash: UInt64
    }

    init(_ filter: FilterParameters, for caller: Caller, after: OperationID) {
        self.filter = filter
        self.caller = caller
        self.after = after
    }

    /// Nothing is left to take.
    var isEmpty: Bool { pieces.isEmpty }

    /// Looks through the next piece of the table.
    ///
    /// - Returns: Whether it was the last one.
    func step(_ engine: Engine) -> Bool {
        let end = min(slot + Limits.scanSlotsMax, engine.scheduler.slotsUsed)
        let found = engine.scheduler.ids(inSlots: slot..<max(slot, end)) { row in
            row.id > after && matches(row, engine)
        }
        if !found.isEmpty { pieces.append(found[...]) }
        slot = end
        return slot >= engine.scheduler.slotsUsed
    }

    /// Takes the next ids, in ascending order.
    func take(_ count: Int) -> [OperationID] {
        var taken: [OperationID] = []
        while taken.count < count, let piece = pieceOfSmallest, let id = pieces[piece].popFirst() {
            taken.append(id)
            if pieces[piece].isEmpty { pieces.remove(at: piece) }
        }
        return taken
    }

    /// Pieces are few: one for 65,536 operations.
    private var pieceOfSmallest: Int? {
        pieces.indices.min { pieces[$0].first ?? after < pieces[$1].first ?? after }
    }

    private func matches(_ row: Scheduler.Row, _ engine: Engine) -> Bool {
        let lane = lanes[row.lane] ?? laneMatch(row.lane, engine)
        guard lane.matches else { return false }
        if let states = filter.states, !states.contains(row.state) { return false }
        if let rule = filter.rule, engine.ruleNames.name(row.rule) != rule { return false }
        // An ended operation has lost its hash: its key is compared on disk.
        if filter.key != nil, row.keyHash != lane.keyHash, !(row.keyHash == 0 && row.state.isEnded)
        {
            return false
        }
        return true
    }

    private func laneMatch(_ index: LaneIndex, _ engine: Engine) -> LaneMatch {
        let lane = engine.scheduler.lane(index)
        let isMatch = caller.mayAct(onOperationsOf: lane.owner) && filter.matches(lane: lane)
        let keyHash = filter.key.map { key in
            engine.hash(key: key.utf8, owner: lane.owner, queue: lane.queue)
        }
        let match = LaneMatch(matches: isMatch, keyHash: keyHash ?? 0)
        lanes[index] = match
        return match
    }
}

extension OperationState {
    /// For good: its key is free.
    fileprivate var isEnded: Bool { self == .succeeded || self == .cancelled }
}

extension Engine {
    /// Looks for all operations of a scan, then goes on with `body`: at once while the table is
    /// small, else with other work in between.
    func collect(_ scan: Scan, then body: @escaping () -> Void) {
        if scan.step(self) { return body() }
        afterwards { [self] in collect(scan, then: body) }
    }

    /// Goes on in a later turn, once the batch that fills is stored and its reads are made.
    func afterwards(_ body: @escaping () -> Void) {
        read(.attributes, of: OperationID(rawValue: 0)) { _ in body() }
    }
}
