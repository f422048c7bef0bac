import RetryConfig
import RetryCore
import RetryModel
import SystemKit

/// What happens to the host.
extension Engine {
    /// - Parameter change: What the kernel told; nothing is done that is true already.
    func hostChanged(_ change: HostWatch.Change) {
        switch change {
        case .network(let isUp): networkChanged(isUp: isUp)
        case .clock(let step, let suspended): clockWasSet(by: step, suspended: suspended)
        case .clockTrust(let isTrusted):
            isClockTrusted = isTrusted
            scheduler.clockTrustChanged(to: isTrusted)
            if isTrusted { clockBecameTrusted() }
        }
    }

    private func networkChanged(isUp: Bool) {
        hasNetwork = isUp
        guard settings.configuration.followsNetwork else { return }
        // The store that can be written again is told then.
        guard storeState == .serving, scheduler.isOn(.network) != isUp else { return }
        let released = scheduler.signalSet(
            .network, isOn: isUp, by: identity.user, lasting: nil, now: now, into: &effects)
        carryOutEffects()
        journal.signalSet(.network, isOn: isUp, by: identity.user, released: released)
    }

    /// Takes in how the host's routes and clocks are, after a time in which that was not done.
    func catchUpWithHost() {
        if let hasNetwork { networkChanged(isUp: hasNetwork) }
        if isClockTrusted { clockBecameTrusted() }
    }

    /// Dates follow the wall clock; delays do not.
    private func clockWasSet(by step: Span, suspended: Span) {
        // A store that cannot be written is read anew when it can, by the clock of that time.
        guard storeState == .serving else { return }
        if !catchUpWithClock() {
            scheduler.clockStepped(now: now, into: &effects)
            carryOutEffects()
        }
        // So that the next boot reckons from the right time.
        saveAnchor()
        journal.clockWasSet(by: step, suspended: suspended)
    }

    private func clockBecameTrusted() {
        guard storeState == .serving, !timeLine.isWallTrusted else { return }
        _ = catchUpWithClock()
        timeLine.clockBecameTrusted()
        saveAnchor()
    }

    /// Moves the time line forward when the host was off for longer than its clock told at the
    /// boot. All that goes with it is stored in one batch with the anchor.
    ///
    /// - Returns: Whether it was behind.
    private func catchUpWithClock() -> Bool {
        guard let lag = timeLine.lag(at: now) else { return false }
        timeLine.move(by: lag)
        now.instant = now.instant + lag
        scheduler.lineMoved(by: lag, of: timeLine.boot, now: now, into: &effects)
        waiters.move(by: lag)
        submitClock.move(by: lag)
        if let since = storeBusySince?.instant { storeBusySince?.instant = since + lag }
        carryOutEffects()
        saveAnchor()
        journal.timeLineMoved(by: lag)
        return true
    }
}
