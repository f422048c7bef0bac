package import RetryModel

/// How a verdict came about.
package struct Explanation: Sendable {
    package var verdict: Verdict
    /// What the document says that any rule asks about.
    package var evidence: [Evidence]
    /// The rules that could have matched, in the order in which they were asked.
    package var considered: [Consideration]
    /// The errors of a chain, in the order in which they were looked at: deepest first.
    package var causes: [Cause]
    /// Where a wait was looked for.
    package var hints: [Hint]
    /// What the idempotency gate found; nil where nothing would have been repeated.
    package var gate: String?

    /// A filled slot.
    package struct Evidence: Hashable, Sendable {
        /// The dotted path, or the name of a fact.
        package var path: String
        /// The value as people read it, cut where it is long. It came from outside: escape it.
        package var value: String
    }

    /// A rule that was asked.
    package struct Consideration: Hashable, Sendable {
        /// Position in `RuleSet.rules`.
        package var rule: Int
        /// Why it did not match; nil: it matched and decided.
        package var mismatch: String?
        /// The error of the chain it was asked about; nil: the failure as a whole.
        package var cause: String?
    }

    /// An error of a chain.
    package struct Cause: Hashable, Sendable {
        /// Domain and code.
        package var name: String
        package var outcome: Outcome

        /// What looking at it gave.
        package enum Outcome: UInt8, Sendable {
            /// It repeats the error it is said to have caused.
            case echo = 0
            /// No rule knows it.
            case unknown = 1
            /// A rule knew it and decided.
            case decided = 2
        }
    }

    /// A place where a wait was looked for and something stood.
    package struct Hint: Hashable, Sendable {
        /// The hint's name in the packs.
        package var name: String
        /// Where it was found.
        package var path: String
        /// As it stands there. It came from outside: escape it.
        package var value: String
        /// What it means; nil: it can't be read and was ignored.
        package var wait: WaitHint?
    }
}
