package import RetryModel

/// What a decision looks at besides the failure document.
package struct Circumstances: Hashable, Sendable {
    /// The present, and when the failure was received if the document does not say.
    package var now: WallTime
    /// Number of the attempt that failed, from 1. Those before it are taken to have failed alike.
    package var attempt: UInt16 = 1
    /// The policy the operation asks for; nil leaves the choice to the rule.
    package var policy: String?
    /// The submitter wants failures retried that no rule knows.
    package var retriesUnknown = false
    /// The owner's own word on the operation; nil: it said nothing.
    package var isIdempotent: Bool?
    /// The operation names a sign-in.
    package var hasCredential = false

    package init(now: WallTime) {
        self.now = now
    }
}
