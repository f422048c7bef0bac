import SystemKit

/// Feeds systemd's watchdog while the loop makes progress (sd_watchdog_enabled(3)).
///
/// It is fed by a timer of the loop itself: a stuck loop stops feeding. The store thread does not
/// matter here, because a slow disk is no reason to be killed.
final class Watchdog {
    private let manager: ServiceManager
    private let intervalUsec: Int64
    private var timer: TimerSource?

    /// - Returns: Nil when systemd does not ask for it.
    init?(_ loop: EventLoop, _ manager: ServiceManager) throws(SystemError) {
        guard let usec = EventLoop.watchdogUsec else { return nil }
        self.manager = manager
        intervalUsec = usec / 2
        timer = try loop.addTimer(priority: .signals, accuracyUsec: 100_000) { [weak self] in
            self?.feed()
        }
        feed()
    }

    private func feed() {
        manager.tell { () throws(SystemError) in try ServiceNotify.watchdog() }
        // CLOCK_BOOTTIME: after a suspend it fires at once, before systemd looks.
        timer?.arm(atUsec: Clocks.boottimeUsec() + intervalUsec)
    }
}

/// Keeps STATUS= true, at most once a second and only when it changes.
final class StatusLine {
    private let engine: Engine
    private let manager: ServiceManager
    private var timer: TimerSource?
    private var told = ""

    /// - Returns: Nil when nobody listens.
    init?(
        _ loop: EventLoop, _ engine: Engine, _ manager: ServiceManager
    ) throws(SystemError) {
        guard Environment.value("NOTIFY_SOCKET") != nil else { return nil }
        self.engine = engine
        self.manager = manager
        // Not of lower priority than the clients, or busy ones would keep it from ever being told.
        timer = try loop.addTimer(priority: .clients, accuracyUsec: 250_000) { [weak self] in
            self?.tell()
        }
    }

    /// Something may have changed.
    func touch() {
        guard let timer, timer.armedUsec == nil else { return }
        timer.arm(atUsec: Clocks.boottimeUsec() + 1_000_000)
    }

    private func tell() {
        let sentence = engine.sentence
        guard sentence != told else { return }
        told = sentence
        manager.tell { () throws(SystemError) in try ServiceNotify.status(sentence) }
    }
}

/// systemd, which is told how the daemon is. What it does not hear is no reason to stop serving.
final class ServiceManager {
    private let journal: Journalist
    private var hasFailed = false

    init(_ journal: Journalist) {
        self.journal = journal
    }

    /// - Parameter message: One of `ServiceNotify`.
    func tell(_ message: () throws(SystemError) -> Bool) {
        do throws(SystemError) {
            _ = try message()
        } catch {
            if !hasFailed { journal.warning("\(error); see NOTIFY_SOCKET in the environment") }
            hasFailed = true
        }
    }
}
