import RetryModel
import SystemKit

/// Follows what the kernel tells about the host: its routes and its clocks. What cannot be watched
/// is told once, and the daemon goes on without it.
final class HostWatch {
    /// What changed, told in a turn of its own.
    enum Change: Equatable {
        /// Whether the host has a default route.
        case network(Bool)
        /// The wall clock was set, by so much, or goes on after a suspend.
        case clock(step: Span, suspended: Span)
        /// Whether the wall clock is synchronised with the world's.
        case clockTrust(Bool)
    }

    /// A link that comes up brings a burst of changes, and routes of one kind before the other:
    /// they are looked at when they have had that long to settle.
    static let settleUsec: Int64 = 500_000

    /// Between looks at a clock that is not synchronised yet.
    static let clockLookUsec: Int64 = 10_000_000

    private let tell: (Change) throws -> Void
    private var routes: Watched<RouteWatch>?
    private var clock: Watched<ClockWatch>?
    private var settled: TimerSource?
    private var clockLook: TimerSource?
    private var readings = ClockReadings.taken()

    /// A descriptor and its source, which is closed first.
    private final class Watched<Watch: ~Copyable> {
        let watch: Watch
        var source: IOSource?

        init(_ watch: consuming Watch) { self.watch = watch }

        deinit { source?.close() }
    }

    init(
        _ loop: EventLoop, _ journal: Journalist, tell: @escaping (Change) throws -> Void
    ) throws {
        self.tell = tell
        do throws(SystemError) {
            try watchRoutes(loop)
        } catch {
            journal.warning("The signal network stays as it is, set it by hand: \(error)")
        }
        do throws(SystemError) {
            try watchClock(loop)
        } catch {
            journal.warning("Dates follow a set clock only after a restart: \(error)")
        }
    }

    /// Tells how things are at the start.
    func look() throws {
        try lookAtRoutes()
        try lookAtClock()
    }

    private func lookAtRoutes() throws {
        guard routes != nil else { return }
        try tell(.network(RouteWatch.hasDefaultRoute()))
    }

    private func lookAtClock() throws {
        let isTrusted = ClockWatch.isTrusted
        try tell(.clockTrust(isTrusted))
        if !isTrusted {
            clockLook?.arm(atUsec: Clocks.boottimeUsec() + HostWatch.clockLookUsec)
        }
    }

    private func watchRoutes(_ loop: EventLoop) throws(SystemError) {
        let routes = Watched(try RouteWatch())
        // Asked once, to know that it can be.
        _ = try RouteWatch.hasDefaultRoute()
        settled = try loop.addTimer(priority: .clients) { [self] in try lookAtRoutes() }
        routes.source = try loop.addIO(
            routes.watch.fileDescriptor, .readable, priority: .clients
        ) { [self, unowned routes] _ in
            try routes.watch.drain()
            if settled?.armedUsec == nil {
                settled?.arm(atUsec: Clocks.boottimeUsec() + HostWatch.settleUsec)
            }
        }
        self.routes = routes
    }

    private func watchClock(_ loop: EventLoop) throws(SystemError) {
        let clock = Watched(try ClockWatch())
        clockLook = try loop.addTimer(priority: .clients, accuracyUsec: 1_000_000) { [self] in
            try lookAtClock()
        }
        clock.source = try loop.addIO(
            clock.watch.fileDescriptor, .readable, priority: .clients
        ) { [self, unowned clock] _ in
            guard try clock.watch.takeChange() else { return }
            let fresh = ClockReadings.taken()
            let change = Change.clock(
                step: fresh.step(since: readings), suspended: fresh.suspended(since: readings))
            readings = fresh
            try tell(change)
            try lookAtClock()
        }
        self.clock = clock
    }
}
