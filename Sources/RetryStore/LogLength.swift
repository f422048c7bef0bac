import Synchronization

/// How many pages the write-ahead log has, as the last commit left it. The store thread counts,
/// the checkpointer compares.
final class LogLength: Sendable {
    private let count = Atomic<Int>(0)

    var pages: Int {
        get { count.load(ordering: .relaxed) }
        set { count.store(newValue, ordering: .relaxed) }
    }
}
