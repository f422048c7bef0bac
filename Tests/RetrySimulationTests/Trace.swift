import RetryCore
import RetryModel

/// What happened, as one number: two runs of a seed must agree on it.
struct Trace {
    private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    /// Kept only when a failure is told: the last lines of what happened.
    private(set) var lines: [String] = []
    let keepsLines: Bool
    /// Every kind of change that was seen.
    private(set) var changes: Set<Change> = []
    private static let linesMax = 60

    init(keepsLines: Bool) {
        self.keepsLines = keepsLines
    }

    /// FNV-1a over eight bytes at a time, with a rotation so that high bits count too.
    mutating func mix(_ value: UInt64) {
        hash = (hash ^ value) &* 0x0000_0100_0000_01b3
        hash = hash << 23 | hash >> 41
    }

    mutating func mix(_ value: Int64) { mix(UInt64(bitPattern: value)) }

    mutating func note(_ line: String) {
        lines.append(line)
        if lines.count > 2 * Trace.linesMax { lines.removeFirst(Trace.linesMax) }
    }

    var lastLines: ArraySlice<String> { lines.suffix(Trace.linesMax) }

    mutating func mix(_ effect: Effect) {
        switch effect {
        case .save(let record):
            mix(1 as UInt64)
            mix(record.id.rawValue)
            mix(record.due.usec)
            mix(UInt64(record.state.rawValue) << 32 | UInt64(record.attempts))
            mix(UInt64(record.token.rawValue) << 8 | UInt64(record.recoveries))
        case .remove(let id):
            mix(2 as UInt64)
            mix(id.rawValue)
        case .saveLane(let index, _): mix(3 << 32 | UInt64(index))
        case .removeLane(let index): mix(9 << 32 | UInt64(index))
        case .removeSignal(let index): mix(10 << 32 | UInt64(index))
        case .savePause(let index, _): mix(11 << 32 | UInt64(index))
        case .removePause(let index): mix(12 << 32 | UInt64(index))
        case .saveDestination(let index, let record):
            mix(13 << 32 | UInt64(index))
            mix(record.tokensMilli)
            mix(record.until.usec)
        case .removeDestination(let index): mix(14 << 32 | UInt64(index))
        case .breakerChanged(_, let state): mix(15 << 32 | UInt64(state.rawValue))
        case .herdReleased(let report):
            mix(16 << 32 | UInt64(report.count))
            mix(report.over.usec)
        case .saveSignal(let index, let record):
            mix(4 << 32 | UInt64(index))
            mix(UInt64(record.generation) << 1 | (record.isOn ? 1 : 0))
        case .savePolicyName(let index, _): mix(5 << 32 | UInt64(index))
        case .saveEvent(let hash, let id, let until):
            mix(hash)
            mix(id.rawValue)
            mix(until?.usec ?? 0)
        case .removeEvent(let hash): mix(hash &+ 6)
        case .reserveIDs(let through): mix(through.rawValue)
        case .changed(let id, let change):
            changes.insert(change)
            mix(id.rawValue)
            mix(Trace.number(of: change))
        case .credentialRefused(_, let id): mix(8 << 32 | UInt64(id.rawValue))
        case .becameReady(let queue): mix(7 << 32 | UInt64(queue.rawValue))
        }
    }

    private static func number(of change: Change) -> UInt64 {
        switch change {
        case .accepted: 1
        case .attemptFailed: 2
        case .succeeded: 3
        case .gaveUp(let cause): 100 + UInt64(cause.rawValue)
        case .scheduled: 4
        case .held: 5
        case .ready: 6
        case .leased: 7
        case .leaseLost: 8
        case .released: 9
        case .parked(let cause): 200 + UInt64(cause.rawValue)
        case .cancelled: 10
        case .revived: 11
        case .replaced: 12
        case .removed: 13
        case .resolved: 14
        case .recovered(.retried): 15
        case .recovered(.cancelled): 16
        }
    }
}
