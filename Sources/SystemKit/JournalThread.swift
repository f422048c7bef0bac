import Synchronization

/// Sends entries to the journal from a thread of its own, because journald makes its writers wait
/// when it is busy or stopped, and the loop must not.
///
/// The queue is bounded in entries and bytes. What does not fit is dropped and counted, and the
/// count becomes an entry as soon as there is room again. Any thread may call.
package final class JournalThread: Sendable {
    /// Where the entries go.
    package enum Destination: Sendable {
        /// The journal where journald runs, else standard error.
        case automatic
        case standardError
    }

    /// The most that may wait or be on its way.
    package struct Bounds: Sendable {
        package var entriesMax: Int
        /// Of names and values together.
        package var bytesMax: Int

        package init(entriesMax: Int = 4_096, bytesMax: Int = 1 << 20) {
            self.entriesMax = entriesMax
            self.bytesMax = bytesMax
        }
    }

    struct Queue: Sendable {
        var waiting: [JournalEntry] = []
        /// Of entries that wait or are being sent.
        var entryCount = 0
        var byteCount = 0
        var droppedCount: UInt64 = 0
        var isStopping = false
    }

    let queue = Lock(Queue())
    let output: JournalOutput
    let hasEntries: Wakeup
    let hasEnded: Wakeup
    private let bounds: Bounds
    private let levelNumber: Atomic<UInt8>

    private init(
        _ output: JournalOutput, level: JournalPriority, bounds: Bounds
    ) throws(SystemError) {
        self.output = output
        self.bounds = bounds
        levelNumber = Atomic(level.rawValue)
        hasEntries = try Wakeup(reader: .blocking)
        hasEnded = try Wakeup(reader: .polling)
    }

    /// Starts the thread.
    ///
    /// - Parameter level: less important entries are not taken.
    package static func start(
        _ destination: Destination = .automatic, level: JournalPriority = .info,
        bounds: Bounds = Bounds()
    ) throws(SystemError) -> JournalThread {
        let output: JournalOutput =
            switch destination {
            case .automatic: Journal.isThere ? .journal : .standardError
            case .standardError: .standardError
            }
        return try start(output: output, level: level, bounds: bounds)
    }

    static func start(
        output: JournalOutput, level: JournalPriority, bounds: Bounds
    ) throws(SystemError) -> JournalThread {
        let journal = try JournalThread(output, level: level, bounds: bounds)
        // Never joined: it may hang in a write to a stopped journald when the process ends.
        _ = try Thread.spawn(name: "journal", stackBytes: 256 << 10) { journal.run() }
        return journal
    }

    /// The least important entries that are taken. Takes effect for later calls of `write`.
    package var level: JournalPriority {
        get {
            let number = levelNumber.load(ordering: .relaxed)
            guard let level = JournalPriority(rawValue: number) else {
                preconditionFailure("the level is stored from a priority")
            }
            return level
        }
        set { levelNumber.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Whether an entry would be taken; asked before an expensive one is made.
    package func takes(_ priority: JournalPriority) -> Bool {
        priority.rawValue <= levelNumber.load(ordering: .relaxed)
    }

    /// Queues an entry. Never blocks.
    package func write(
        _ priority: JournalPriority, _ message: String, messageID: String? = nil,
        fields: [JournalField] = []
    ) {
        guard takes(priority) else { return }
        let entry = JournalEntry(
            priority: priority, message: message, messageID: messageID, fields: fields)
        let wake = queue.withLock { queue in
            guard queue.entryCount < bounds.entriesMax,
                queue.byteCount + entry.byteCount <= bounds.bytesMax
            else {
                queue.droppedCount += 1
                // An entry longer than the whole queue finds the thread asleep.
                return queue.droppedCount == 1
            }
            queue.entryCount += 1
            queue.byteCount += entry.byteCount
            queue.waiting.append(entry)
            return queue.waiting.count == 1
        }
        if wake { hasEntries.signal() }
    }

    /// Ends the thread once the queue is empty, or leaves it behind.
    ///
    /// - Parameter timeoutMs: how long to wait for that; a stopped journald can take for ever.
    /// - Returns: whether everything was sent.
    @discardableResult
    package func stop(timeoutMs: Int64) -> Bool {
        queue.withLock { $0.isStopping = true }
        hasEntries.signal()
        do {
            return try Syscalls.wait(
                for: hasEnded.fileDescriptor, .readable, timeoutMs: timeoutMs)
        } catch {
            fatalError("\(error): polling an eventfd fails for want of memory only")
        }
    }
}
