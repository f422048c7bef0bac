import Testing

/// One run of the world.
struct Simulation {
    var seed: UInt64
    var steps: Int
    var bug: PlantedBug?

    /// - Returns: The trace as one number.
    /// - Throws: `Violation`.
    func run(coreSeed: UInt64? = nil) throws -> UInt64 {
        var world = World(
            seed: seed, coreSeed: coreSeed ?? seed, bug: bug, keepsLines: false)
        try world.run(steps: steps)
        return world.trace.hash
    }

    /// Runs twice and compares.
    func runTwice() throws {
        let first = try run()
        let second = try run(coreSeed: bug == .seedIsNotKept ? seed &+ 1 : seed)
        guard first == second else {
            throw Violation(rule: .sameSeedSameTrace, message: "\(first) and \(second)")
        }
    }

    /// Records a violation with what led to it and how to see it again.
    func tell(_ violation: Violation, _ location: SourceLocation = #_sourceLocation) {
        var world = World(seed: seed, coreSeed: seed, bug: bug, keepsLines: true)
        // Fails in the same way, this time with its trace.
        try? world.run(steps: steps)
        let lines = world.trace.lastLines.joined(separator: "\n")
        Issue.record(
            """
            \(violation), at step \(world.step) of seed \(seed)
            Again: RETRY_SIM_SEED=\(seed) RETRY_SIM_STEPS=\(steps)
            \(lines)
            """, sourceLocation: location)
    }
}
