import Glibc

/// How long and from where the simulation runs. From the environment:
///
/// - `RETRY_SIM_SEED`: that seed alone, for repeating what a failure told.
/// - `RETRY_SIM_RUNS`: how many seeds; the default is made for a test run.
/// - `RETRY_SIM_STEPS`: steps of each.
struct SimulationSettings {
    var seeds: [UInt64]
    var steps: Int

    /// Enough for every run to see crashes, losses and steps of the clock many times.
    static let stepsDefault = 5_000

    #if DEBUG
        /// Without optimisation a run takes twenty times as long.
        static let runsDefault = 12
    #else
        static let runsDefault = 500
    #endif

    static let fromEnvironment: SimulationSettings = {
        let runs = number("RETRY_SIM_RUNS").map { Int($0) } ?? runsDefault
        let steps = number("RETRY_SIM_STEPS").map { Int($0) } ?? stepsDefault
        if let seed = number("RETRY_SIM_SEED") {
            return SimulationSettings(seeds: [seed], steps: steps)
        }
        return SimulationSettings(seeds: (0..<runs).map { 1 + UInt64($0) }, steps: steps)
    }()

    private static func number(_ name: String) -> UInt64? {
        guard let text = getenv(name) else { return nil }
        return UInt64(String(cString: text))
    }
}
