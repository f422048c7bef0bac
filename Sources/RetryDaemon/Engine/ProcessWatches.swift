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
    private var levels: [LeaseHolder: [SignalName]] = [:]
    /// Called when a process has ended, with the levels that lasted while it lived.
    var ended: (LeaseHolder, [SignalName]) throws -> Void = { _, _ in }

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
                let names = levels[holder] ?? []
                forget(holder)
                try ended(holder, names)
            }
            entries[holder] = Entry(descriptor: pidfd, source: source)
        } catch {
            // Without the watch the lease still ends by its visibility time.
            _ = OwnedFD(adopting: pidfd)
        }
    }

    /// A level stands while that process lives, and no longer while another one did.
    func whileAlive(_ holder: LeaseHolder, _ name: SignalName) {
        forget(name)
        levels[holder, default: []].append(name)
    }

    /// A level no longer depends on any process.
    func forget(_ name: SignalName) {
        for (holder, names) in levels where names.contains(name) {
            let others = names.filter { $0 != name }
            levels[holder] = others.isEmpty ? nil : others
        }
    }

    func forget(_ holder: LeaseHolder) {
        levels[holder] = nil
        guard let entry = entries.removeValue(forKey: holder) else { return }
        entry.source.close()
        _ = OwnedFD(adopting: entry.descriptor)
    }
}
