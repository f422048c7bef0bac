import RetryCore
import RetryModel
import SystemKit

/// Workers that wait for something to run: blocked Leases and lease streams.
struct LeaseWaiters {
    struct Waiter {
        var connection: PollToken
        var request: LeaseParameters
        /// When a blocked Lease is answered with nothing; nil for a stream.
        var until: Instant?
    }

    /// In the order they came: the longest waiting is served first.
    private(set) var all: [Waiter] = []

    var nextEnd: Instant? {
        var earliest: Instant?
        for waiter in all {
            if let until = waiter.until { earliest = min(earliest ?? until, until) }
        }
        return earliest
    }

    mutating func append(_ waiter: Waiter) {
        all.append(waiter)
    }

    mutating func remove(_ connection: PollToken) {
        all.removeAll { $0.connection == connection }
    }

    func waiter(token: PollToken?) -> Waiter? {
        all.first { $0.connection == token }
    }

    /// Those that wait for a queue.
    func waiting(forQueue name: String) -> [Waiter] {
        all.filter { $0.request.queues.contains(name) }
    }

    /// The time line was moved.
    mutating func move(by span: Span) {
        for place in all.indices { all[place].until = all[place].until.map { $0 + span } }
    }

    mutating func takeEnded(by now: Instant) -> [Waiter] {
        let ended = all.filter { waiter in waiter.until.map { $0 <= now } ?? false }
        if !ended.isEmpty { all.removeAll { waiter in waiter.until.map { $0 <= now } ?? false } }
        return ended
    }
}

/// A Lease with `more`: hands attempts out as they come, up to `max` at a time.
struct LeaseStream {
    var request: LeaseParameters
    /// Attempts handed out that have not ended.
    var out: Set<OperationID> = []
}
