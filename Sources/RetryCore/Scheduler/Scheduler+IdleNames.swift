package import RetryModel

/// Names that nothing uses: bounded, and given back.
extension Scheduler {
    /// Gives numbers back that nothing has used for long: inventing names can't fill the memory.
    mutating func forgetIdleNames(into effects: inout Effects) {
        while let (index, facts) = lanes.removeIdle() {
            effects.add(.removeLane(index))
            let destination = ready.key(facts.group).destination
            if ready.releaseGroup(facts.group), let destination {
                destinations[destination].groups.removeAll { $0 == facts.group }
                if destinations[destination].groups.isEmpty {
                    removeDestination(destination, into: &effects)
                }
            }
            signals.release(facts.foreground)
            if let credential = facts.credential { signals.release(credential) }
        }
        while let index = signals.removeIdle() { effects.add(.removeSignal(index)) }
    }

    /// Whether a level may be set: those that nothing waits for are bounded for each user.
    ///
    /// - Throws: `.quotaExceeded`.
    package func checkRoom(for name: SignalName) throws(Refusal) {
        guard let owner = name.owner, owner != 0, signals.index(of: name) == nil,
            signals.count >= Limits.signalsPerUserMax,
            signals.unusedCount(of: owner) >= Limits.signalsPerUserMax
        else { return }
        throw .quotaExceeded("signals-per-user-max")
    }
}
