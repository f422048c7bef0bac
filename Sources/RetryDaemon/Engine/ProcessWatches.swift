import RetryModel
import SystemKit

/// Processes whose end is of interest: holders of leases, and setters of levels that last while
/// they live. Each is one pidfd in the loop.
final class ProcessWatches {
    private struct Entry {
        let descriptor: Int32
        let source: Source
    }

    private let loop: EventLoop
    private var entries: [LeaseHolder: Entry] = [:]
    /// Called when a process has ended.
    var ended: (LeaseHolder) throws -> Void = { _ in }

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func isWatched(_ holder: LeaseHolder) -> Bool { entries[holder] != nil }

    /// Whether the process has ended, though nobody may have been told yet.
    func hasEnded(_ holder: LeaseHolder) -> Bool {
        guard let entry = entries[holder] else { return false }
        // Readable means ended (pidfd_open(2)); without an answer the watch will tell.
        return (try? Syscalls.wait(for: entry.descriptor, .readable, timeoutMs: 0)) ?? false
    }

    func watch(_ holder: LeaseHolder, _ descriptor: consuming OwnedFD) {
        let pidfd = descriptor.release()
        do throws(SystemError) {
            let source = try loop.addProcessEnd(pidfd: pidfd, priority: .store) { [self] in
                forget(holder)
                try ended(holder)
            }
            entries[holder] = Entry(descriptor: pidfd, source: source)
        } catch {
            // Without the watch the lease still ends by its visibility time.
            _ = OwnedFD(adopting: pidfd)
        }
    }

    func forget(_ holder: LeaseHolder) {
        guard let entry = entries.removeValue(forKey: holder) else { return }
        entry.source.close()
        _ = OwnedFD(adopting: entry.descriptor)
    }
}
