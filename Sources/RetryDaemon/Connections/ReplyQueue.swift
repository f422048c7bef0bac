/// The answers of one connection, in the order of its calls, each held until what it tells is on
/// disk (spec section 3).
///
/// Nearly all answers are written at once and wait for the batch that was filling; those are kept
/// as runs of bytes. An answer that needs something read from the store is a gap which is filled
/// later; everything behind it waits.
struct ReplyQueue {
    private enum Entry {
        /// `count` bytes of `held` with `replies` answers, to go out when `batch` is stored.
        case run(count: Int, replies: Int, batch: UInt64)
        /// An answer that is not known yet and will take about so many bytes.
        case gap(reserved: Int)
        /// A gap's answer, to go out when `batch` is stored.
        case filled([UInt8], batch: UInt64)
    }

    /// Entries not released yet; those before `first` are gone.
    private var entries: [Entry] = []
    private var first = 0
    /// Number of the entry at index 0 since the connection began.
    private var base = 0
    private var held: [UInt8] = []
    private var heldFirst = 0

    /// Bytes of answers that fill a gap and wait, and those reserved for gaps.
    private var gapBytes = 0

    /// Bytes that may be sent.
    private(set) var released: [UInt8] = []
    private var sent = 0

    /// Answers that wait, gaps included.
    private(set) var waiting = 0

    /// Nothing waits and nothing is left to send.
    var isEmpty: Bool { waiting == 0 && unsentCount == 0 }
    var unsentCount: Int { released.count - sent }
    /// Everything a slow reader makes us keep, and what the store is asked for on his behalf.
    var byteCount: Int { unsentCount + held.count - heldFirst + gapBytes }

    /// Appends one answer.
    /// - Parameter batch: The batch that must be stored first; `stored` and older: none.
    mutating func append(
        _ bytes: UnsafeBufferPointer<UInt8>, after batch: UInt64, stored: UInt64
    ) {
        if first == entries.count, batch <= stored {
            released.append(contentsOf: bytes)
            return
        }
        held.append(contentsOf: bytes)
        waiting += 1
        if first < entries.count, case .run(let count, let replies, batch) = entries.last {
            entries[entries.count - 1] = .run(
                count: count + bytes.count, replies: replies + 1, batch: batch)
        } else {
            entries.append(.run(count: bytes.count, replies: 1, batch: batch))
        }
    }

    /// Keeps the place of an answer that comes later; its number is for `fill`.
    ///
    /// - Parameter bytes: About how long it will be: it is read from the store before its length
    ///   is known here.
    mutating func appendGap(reserving bytes: Int = 0) -> Int {
        entries.append(.gap(reserved: bytes))
        gapBytes += bytes
        waiting += 1
        return base + entries.count - 1
    }

    mutating func fill(_ number: Int, with bytes: [UInt8], after batch: UInt64) {
        guard case .gap(let reserved) = entries[number - base] else {
            preconditionFailure("an answer was given twice")
        }
        gapBytes += bytes.count - reserved
        entries[number - base] = .filled(bytes, batch: batch)
    }

    /// The same, for an answer that may go out at once when nothing before it waits.
    mutating func fill(
        _ number: Int, with bytes: UnsafeBufferPointer<UInt8>, after batch: UInt64, stored: UInt64
    ) {
        guard number - base == first, batch <= stored else {
            return fill(number, with: Array(bytes), after: batch)
        }
        guard case .gap(let reserved) = entries[first] else {
            preconditionFailure("an answer was given twice")
        }
        gapBytes -= reserved
        released.append(contentsOf: bytes)
        waiting -= 1
        first += 1
    }

    /// Releases what waited for batches up to that one.
    mutating func stored(through batch: UInt64) {
        loop: while first < entries.count {
            switch entries[first] {
            case .gap:
                break loop
            case .run(let count, let replies, let entryBatch):
                guard entryBatch <= batch else { break loop }
                released.append(contentsOf: held[heldFirst..<(heldFirst + count)])
                heldFirst += count
                waiting -= replies
            case .filled(let bytes, let entryBatch):
                guard entryBatch <= batch else { break loop }
                released.append(contentsOf: bytes)
                gapBytes -= bytes.count
                waiting -= 1
            }
            entries[first] = .gap(reserved: 0)
            first += 1
        }
        compact()
    }

    /// Nothing that is waited for will be stored: every answer that waits goes out as that error.
    mutating func failAll(with error: [UInt8]) {
        for entry in entries[first...] {
            switch entry {
            case .run(_, let replies, _):
                for _ in 0..<replies { released.append(contentsOf: error) }
            case .gap, .filled:
                released.append(contentsOf: error)
            }
        }
        first = entries.count
        waiting = 0
        gapBytes = 0
        compact()
    }

    /// So many of the released bytes were sent.
    mutating func markSent(_ count: Int) {
        sent += count
        if sent == released.count {
            released.removeAll(keepingCapacity: released.capacity <= 256 * 1024)
            sent = 0
        } else if sent > 64 * 1024, sent > released.count / 2 {
            // A reader that is always a little behind must not keep what it has read.
            released.removeFirst(sent)
            sent = 0
        }
    }

    func withUnsent<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result = released.withUnsafeBytes { bytes in
            Swift.Result { () throws(Failure) in
                try body(UnsafeRawBufferPointer(rebasing: bytes[sent...]))
            }
        }
        return try result.get()
    }

    /// Forgets what was released: all at once when nothing waits, else when half is gone.
    private mutating func compact() {
        if first == entries.count {
            base += entries.count
            entries.removeAll(keepingCapacity: true)
            first = 0
            held.removeAll(keepingCapacity: held.capacity <= 256 * 1024)
            heldFirst = 0
        } else if first > 64, first > entries.count / 2 {
            base += first
            entries.removeFirst(first)
            first = 0
            held.removeFirst(heldFirst)
            heldFirst = 0
        }
    }
}
