import RetryCore
import RetryModel

/// How destinations and workers are spared: a second, simpler account of budgets, breakers and the
/// ramp, from what the core said and what it handed out.
struct Sparing {
    private struct Party {
        /// At least what the budget holds, in thousandths.
        var tokensMilli: Int64
        var at: Instant
        var breaker = BreakerState.closed
        var probe: OperationID?
    }

    private var parties: [DestinationName: Party] = [:]
    private var windowBegan: Instant?
    private var inWindow = 0
    /// How many may become ready in it.
    private var most = 0
    /// When something last became ready, for whatever reason: it may have used up the ramp.
    private var recent: [Instant] = []

    private static let policy = World.destinations.standard

    static func name(of lane: Lane) -> DestinationName? { World.destinations.name(for: lane) }

    // MARK: Attempts

    /// - Parameter running: Attempts at the same destination.
    mutating func granted(
        _ id: OperationID, _ lane: Lane, running: Int, now: Now
    ) throws {
        guard let name = Self.name(of: lane) else { return }
        var party = filled(name, at: now.instant)
        switch party.breaker {
        case .open:
            throw violation(id, "runs while its breaker is open")
        case .halfOpen:
            if party.probe != nil { throw violation(id, "is a second probe") }
            party.probe = id
        case .closed:
            if running >= Self.policy.concurrencyMax {
                throw violation(id, "runs beside \(running) others")
            }
            if party.tokensMilli < Self.policy.attemptCost * 1_000 {
                throw violation(id, "runs with \(party.tokensMilli) thousandths of a token")
            }
        }
        party.tokensMilli = max(party.tokensMilli - Self.policy.attemptCost * 1_000, 0)
        parties[name] = party
    }

    private func violation(_ id: OperationID, _ what: String) -> Violation {
        Violation(rule: .destinationsAreSpared, message: "\(id.rawValue) \(what)")
    }

    private func filled(_ name: DestinationName, at now: Instant) -> Party {
        let full = Self.policy.budgetMax * 1_000
        guard var party = parties[name] else { return Party(tokensMilli: full, at: now) }
        // A token a second is a thousandth a millisecond; what is begun counts in full.
        let back = ((now - party.at).usec * Self.policy.budgetPerSecond + 999) / 1_000
        party.tokensMilli = min(party.tokensMilli + back, full)
        party.at = now
        return party
    }

    private mutating func give(_ tokens: Int64, _ lane: Lane) {
        guard let name = Self.name(of: lane), let party = parties[name] else { return }
        let full = Self.policy.budgetMax * 1_000
        parties[name]?.tokensMilli = min(party.tokensMilli + tokens * 1_000, full)
    }

    mutating func reported(_ lane: Lane, succeeded: Bool) {
        // A failure for want of something else gives its cost back; that is granted to all.
        give(Self.policy.attemptCost + (succeeded ? Self.policy.successBonus : 0), lane)
    }

    mutating func released(_ lane: Lane) { give(Self.policy.attemptCost, lane) }

    /// An attempt is over; if it was a probe that said nothing, there is room for another one.
    mutating func ended(_ id: OperationID) {
        for (name, party) in parties where party.probe == id { parties[name]?.probe = nil }
    }

    mutating func breakerChanged(_ name: DestinationName, _ state: BreakerState) {
        guard parties[name] != nil else { return }
        parties[name]?.breaker = state
        parties[name]?.probe = nil
    }

    /// A start: budgets are stored in steps of a fifth, and the ramp begins anew.
    mutating func restarted(_ effects: [Effect]) {
        for name in parties.keys { parties[name]?.tokensMilli += Self.policy.budgetMax * 200 }
        windowBegan = nil
        for effect in effects {
            if case .breakerChanged(let name, let state) = effect { breakerChanged(name, state) }
        }
    }

    // MARK: The ramp

    /// What became ready long after its time was kept back and released. Two windows of the core
    /// may lie in one of these, the second a quarter larger than the first.
    mutating func becameReady(_ id: OperationID, dueAt: Instant, now: Now) throws {
        recent.removeAll { now.instant - $0 > Limits.rampWindow * 4 }
        defer { recent.append(now.instant) }
        guard now.instant - dueAt > Limits.overdueAfter else { return }
        if let began = windowBegan, now.instant - began < Limits.rampWindow {
            inWindow += 1
        } else {
            windowBegan = now.instant
            inWindow = 1
            let size = max(World.ramp.first, recent.count * 5 / 4 + 1)
            most = size + size * 5 / 4 + 1
        }
        guard inWindow > most else { return }
        throw Violation(
            rule: .herdsAreRamped,
            message: "\(id.rawValue) is number \(inWindow) of a window of at most \(most)")
    }
}
