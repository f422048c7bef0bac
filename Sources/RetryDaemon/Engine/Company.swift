/// Whether the batch that fills waits a moment for more calls before it is handed to a free store.
///
/// A client with one call in flight calls again as soon as it has its answer. Were the batch handed
/// over with the first one's call, the others' would be in the next one, and so on for ever: two
/// groups that wait for each other's sync. So when a batch is stored, the clients that have nothing
/// more under way are expected to call again, and the next batch waits until they have, but not for
/// long. One client alone is never waited for, nor is a client that thinks before it calls.
struct Company {
    /// How long after the answers the last one is waited for: more than a client needs that calls
    /// again at once, less than a sync costs on most disks.
    static let patienceUsec: Int64 = 100
    /// So many calls share a sync well enough.
    static let callsMax = 32

    /// What a connection keeps: the round in which it is expected.
    typealias Mark = UInt64

    private var round: Mark = 0
    private var missing = 0
    private var endUsec: Int64 = 0

    /// The answers of a batch go out.
    mutating func begin(atUsec now: Int64) {
        round += 1
        missing = 0
        endUsec = now + Self.patienceUsec
    }

    /// A client has all its answers.
    mutating func expect() -> Mark {
        missing += 1
        return round
    }

    /// A client that was expected calls, or goes.
    mutating func came(_ mark: inout Mark) {
        if mark == round, mark != 0 { missing -= 1 }
        mark = 0
    }

    /// How long to wait for those that are missing; nil: not at all.
    func waitUsec(atUsec now: Int64) -> Int64? {
        missing > 0 && now < endUsec ? endUsec - now : nil
    }
}
