/// Something that must hold did not.
struct Violation: Error, CustomStringConvertible {
    var rule: Rule
    var message: String

    var description: String { "\(rule.rawValue): \(message)" }
}

/// What the simulation checks, each with a planted bug of its own that must be found.
enum Rule: String, CaseIterable {
    case noAnswerBeforeCommit = "no answer before its commit"
    case nothingAcknowledgedIsLost = "nothing acknowledged is lost"
    case oneLeaseAtMost = "at most one live lease of an operation"
    case notBeforeItsTime = "no attempt before its time"
    case waitingSpendsNoAttempts = "waiting spends no attempts"
    case oneReason = "every operation has exactly one primary reason"
    case onePlace = "every operation is in exactly one place"
    case reportsCountOnce = "a report counts exactly if its token is the newest and open"
    case idsAreNew = "no id is given twice"
    case nothingPausedRuns = "nothing paused runs"
    case destinationsAreSpared = "budgets, limits and probes are never exceeded"
    case herdsAreRamped = "no more than the ramp becomes ready together"
    case reachable = "every operation can be reached again"
    case sameSeedSameTrace = "the same seed gives the same trace"
}

/// Bugs that stand in the shell around the core: in the events it is told or in what is made of
/// its effects. The core itself has no switch for them.
enum PlantedBug: CaseIterable {
    case answersAtOnce
    case storeForgetsItsLastBatch
    case leaseIsNotStored
    case grantsAreHandedOutTwice
    case clockRunsAhead
    case lossesAreReportedAsFailures
    case reasonsOfHeldOnesAreHidden
    case removalsAreForgotten
    case lateTokensAreRenewed
    case reservationsAreNotStored
    case readyIsNotTold
    case pausesAreNotStored
    case destinationsAreNotStored
    case rampIsForgotten
    case seedIsNotKept

    /// The rule that must find it.
    var rule: Rule {
        switch self {
        case .answersAtOnce, .leaseIsNotStored: .noAnswerBeforeCommit
        case .storeForgetsItsLastBatch: .nothingAcknowledgedIsLost
        case .grantsAreHandedOutTwice: .oneLeaseAtMost
        case .clockRunsAhead: .notBeforeItsTime
        case .lossesAreReportedAsFailures: .waitingSpendsNoAttempts
        case .reasonsOfHeldOnesAreHidden: .oneReason
        case .removalsAreForgotten: .onePlace
        case .lateTokensAreRenewed: .reportsCountOnce
        case .reservationsAreNotStored: .idsAreNew
        case .readyIsNotTold: .reachable
        case .pausesAreNotStored: .nothingPausedRuns
        case .destinationsAreNotStored: .destinationsAreSpared
        case .rampIsForgotten: .herdsAreRamped
        case .seedIsNotKept: .sameSeedSameTrace
        }
    }
}
