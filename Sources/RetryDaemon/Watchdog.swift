import SystemKit

/// Feeds systemd's watchdog while the loop makes progress (sd_watchdog_enabled(3)).
///
/// It is fed by a timer of the loop itself: a stuck loop stops feeding. The store thread does not
/// matter here, because a slow disk is no reason to be killed.
final class Watchdog {
    private let timer: TimerSource?
    private let intervalUsec: Int64

    init(_ loop: EventLoop, _ engine: Engine) throws(SystemError) {
        guard let usec = EventLoop.watchdogUsec else {
            timer = nil
            intervalUsec = 0
            return
        }
        intervalUsec = usec / 2
        let box = TimerBox()
        let intervalUsec = intervalUsec
        let made = try loop.addTimer(priority: .signals, accuracyUsec: 100_000) {
            _ = try ServiceNotify.watchdog()
            // CLOCK_BOOTTIME: after a suspend it fires at once, before systemd looks.
            box.timer?.arm(atUsec: Clocks.boottimeUsec() + intervalUsec)
        }
        box.timer = made
        made.arm(atUsec: Clocks.boottimeUsec() + intervalUsec)
        timer = made
    }

    private final class TimerBox {
        weak var timer: TimerSource?
    }
}

/// Keeps STATUS= true, at most once a second and only when it changes.
final class StatusLine {
    private let engine: Engine
    private var timer: TimerSource?
    private var told = ""

    init(_ loop: EventLoop, _ engine: Engine) throws(SystemError) {
        self.engine = engine
        guard Environment.value("NOTIFY_SOCKET") != nil else { return }
        timer = try loop.addTimer(priority: .idle, accuracyUsec: 250_000) { [self] in tell() }
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
        _ = try? ServiceNotify.status(sentence)
    }
}
