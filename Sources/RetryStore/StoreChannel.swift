import SystemKit

/// The hand-over between the loop and the store thread: batches one way, completions the other.
final class StoreChannel: Sendable {
    private struct Work {
        /// In the order in which they came; `Store.canSubmit` keeps them few.
        var batches: [StoreBatch] = []
        var wantsProbe = false
        var stops = false
        /// The store thread sleeps, or is about to.
        var isAsleep = false

        var isEmpty: Bool { batches.isEmpty && !wantsProbe && !stops }
    }

    /// What the store thread is to do next.
    enum Order {
        case carryOut(StoreBatch)
        case probe
        case stop
        /// There was nothing to do for as long as the store thread wanted to wait.
        case nothing
    }

    private let work = Lock(Work())
    private let finished = Lock<[StoreCompletion]>([])
    private let toStore: Wakeup
    /// What the loop watches.
    let toLoop: Wakeup

    init() throws(SystemError) {
        toStore = try Wakeup(reader: .polling)
        toLoop = try Wakeup(reader: .polling)
    }

    // MARK: The loop's side

    func put(_ batch: StoreBatch) {
        change { work in work.batches.append(batch) }
    }

    func putProbe() {
        change { work in work.wantsProbe = true }
    }

    func putStop() {
        change { work in work.stops = true }
    }

    func takeCompletions() -> [StoreCompletion] {
        // Drained first: a signal that comes in between is then at worst needless.
        toLoop.drain()
        return finished.withLock { finished in
            var taken: [StoreCompletion] = []
            swap(&taken, &finished)
            return taken
        }
    }

    private func change(_ body: (inout Work) -> Void) {
        let wakes = work.withLock { work in
            body(&work)
            let wakes = work.isAsleep
            work.isAsleep = false
            return wakes
        }
        if wakes { toStore.signal() }
    }

    // MARK: The store thread's side

    func post(_ completion: StoreCompletion) {
        let wasEmpty = finished.withLock { finished in
            finished.append(completion)
            return finished.count == 1
        }
        if wasEmpty { toLoop.signal() }
    }

    /// Waits for something to do.
    ///
    /// - Parameter timeoutMs: How long at most; nil: for ever, 0: not at all.
    func next(timeoutMs: Int64?) -> Order {
        if let order = take(orSleep: true) { return order }
        do {
            _ = try Syscalls.wait(for: toStore.fileDescriptor, .readable, timeoutMs: timeoutMs)
        } catch {
            preconditionFailure("poll of an eventfd cannot fail: \(error)")
        }
        toStore.drain()
        return take(orSleep: false) ?? .nothing
    }

    private func take(orSleep sleeps: Bool) -> Order? {
        work.withLock { work in
            work.isAsleep = sleeps && work.isEmpty
            if !work.batches.isEmpty { return .carryOut(work.batches.removeFirst()) }
            if work.wantsProbe {
                work.wantsProbe = false
                return .probe
            }
            if work.stops {
                work.stops = false
                return .stop
            }
            return nil
        }
    }
}
