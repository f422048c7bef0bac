package import RetryModel
package import RetryRules

// What people are told about an operation depends on what became of it: of one that was given up
// after twenty retries it would be wrong to say that it is tried again.
extension RuleDecision {
    /// A decision as it was made.
    package init(told disposition: Disposition, _ condition: Condition, _ action: Action) {
        self.init(
            disposition, condition: disposition == .retry ? condition : .now,
            action: disposition == .permanent ? action : .none)
    }

    /// The decision whose texts fit an operation that is parked or dead for that cause.
    package func told(as cause: Cause) -> RuleDecision {
        switch cause {
        case .none, .newFlow, .reauthenticate, .heldTooLong, .foregroundLoop, .permanent:
            self
        case .parkedTooLong:
            self
        case .outcomeUnknown, .recoveries, .attemptsExhausted, .tooOld, .deadline,
            .hintBeyondCap:
            RuleDecision(.permanent, action: .introspectCause)
        }
    }
}
