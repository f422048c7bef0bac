import RetryModel

/// Counts what is released of herds: so many in a window, more in the next one if that was not
/// enough, and back to the beginning after a window that was.
struct Ramp {
    var settings = RampSettings()
    private var windowBegan: Instant?
    private var size = 0
    private var used = 0
    private var growths = 0
    /// When somebody last wanted something released.
    private var askedAt = Instant(usec: 0)
    /// The herd that is being released.
    private(set) var herd: Herd?
    /// The last one that was, and when the last of it went.
    private(set) var last: (report: ReleaseReport, endedAt: Instant)?

    struct Herd {
        var trigger: ReleaseTrigger
        var began: Instant
        var count = 0
        var peak = 0

        func report(at now: Instant) -> ReleaseReport {
            ReleaseReport(trigger: trigger, count: count, over: now - began, peak: peak)
        }
    }

    /// Takes the place of one more operation in the present window.
    mutating func take(at now: Instant) -> Bool {
        ask(at: now)
        guard used < size else { return false }
        used += 1
        if var herd {
            herd.count += 1
            herd.peak = max(herd.peak, used)
            self.herd = herd
        }
        return true
    }

    /// Something waits to be released.
    mutating func ask(at now: Instant) {
        askedAt = now
        guard let began = windowBegan, now >= began, now - began < Limits.rampWindow else {
            return beginWindow(at: now)
        }
    }

    private mutating func beginWindow(at now: Instant) {
        // A window that is long past, or that was not used up, was enough.
        let isFollowing = windowBegan.map { now - $0 < Limits.rampWindow * 2 } ?? false
        if isFollowing, used >= size {
            size = max(size + 1, Int(clamping: Int64(size) * settings.growthMilli / 1_000))
            size = min(size, Limits.operationsMax)
        } else {
            size = settings.first
        }
        used = 0
        windowBegan = now
    }

    /// When the next one may be released.
    var next: Instant {
        guard used >= size, let windowBegan else { return askedAt }
        return windowBegan + Limits.rampWindow
    }

    /// The time line was moved.
    mutating func move(by span: Span) {
        windowBegan = windowBegan.map { $0 + span }
        askedAt = askedAt + span
        if let began = herd?.began { herd?.began = began + span }
        if let ended = last?.endedAt { last?.endedAt = ended + span }
    }

    /// Something had to be kept back.
    mutating func heldBack(_ trigger: ReleaseTrigger, at now: Instant) {
        if herd == nil { herd = Herd(trigger: trigger, began: now) }
    }

    /// Nothing is kept back any more.
    mutating func ended(at now: Instant) -> ReleaseReport? {
        guard let ended = herd else { return nil }
        herd = nil
        let report = ended.report(at: now)
        if report.count == 0 { return nil }
        last = (report, now)
        return report
    }
}
