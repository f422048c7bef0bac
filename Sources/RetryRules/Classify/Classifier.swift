package import JSON
package import RetryModel

/// What the classifier knows besides the failure document.
package struct ClassifierOptions: Hashable, Sendable {
    /// The submitter wants failures retried that no rule knows.
    package var retriesUnknown: Bool
    /// The owner's own word on the operation; nil: it said nothing.
    package var isIdempotent: Bool?
    /// When the failure was received, if the document does not say.
    package var now: WallTime
    /// Off: rules see `recovery_disabled` in every document, so that errors a client library
    /// would recover from by itself are handed to the caller.
    package var recoversAutomatically: Bool

    package init(
        now: WallTime, retriesUnknown: Bool = false, isIdempotent: Bool? = nil,
        recoversAutomatically: Bool = true
    ) {
        self.now = now
        self.retriesUnknown = retriesUnknown
        self.isIdempotent = isIdempotent
        self.recoversAutomatically = recoversAutomatically
    }
}

/// Decides what failure documents mean by one rule set.
///
/// It owns the memory classifying needs, so that a decision allocates nothing. Make one for each
/// thread and rule set and keep it. The verdict is a pure function of rules, document and options.
package final class Classifier {
    package let rules: RuleSet

    let program: Program
    let tables: EngineTables
    let facts: FactTable
    /// Errors of the chain, outermost first.
    let causes: UnsafeMutablePointer<JSONValue>
    /// For each, the number of the one it caused, or -1.
    let causeParents: UnsafeMutablePointer<Int>
    var causeCount = 0
    var causeParent = -1
    /// There were more causes than `Limits.failureDepthMax`.
    var hasTooManyCauses = false
    /// When the failure was received.
    var receivedAt = WallTime(usec: 0)
    var isReceivedAtTold = false
    var options = ClassifierOptions(now: WallTime(usec: 0))
    /// Records what is looked at, for `explain`; nil while only the verdict is wanted.
    var trace: Trace?

    let scratch: Scratch
    /// The slots that the document itself filled, before facts were derived.
    let told: UnsafeMutablePointer<UInt64>
    /// The facts of the outermost error, while those of its causes are looked at.
    let savedPresent: UnsafeMutablePointer<UInt64>
    let savedValues: UnsafeMutablePointer<Fact>

    static let causesMax = Limits.failureDepthMax

    package init(_ rules: RuleSet) {
        self.rules = rules
        program = rules.program
        tables = EngineTables(program)
        let slotCount = program.slotNames.count
        facts = FactTable.allocate(slotCount: slotCount, maskWords: program.maskWords)
        causes = .allocate(capacity: Self.causesMax)
        causeParents = .allocate(capacity: Self.causesMax)
        scratch = Scratch()
        told = .allocate(capacity: program.maskWords)
        told.initialize(repeating: 0, count: program.maskWords)
        savedPresent = .allocate(capacity: program.maskWords)
        savedPresent.initialize(repeating: 0, count: program.maskWords)
        savedValues = .allocate(capacity: slotCount)
        savedValues.initialize(repeating: Fact(kind: .bool, bits: 0), count: slotCount)
    }

    deinit {
        tables.deallocate()
        facts.deallocate()
        causes.deallocate()
        causeParents.deallocate()
        told.deallocate()
        savedPresent.deallocate()
        savedValues.deallocate()
    }

    /// What a failure means.
    ///
    /// Never fails: what is not a failure document, and what no rule knows, is permanent, and the
    /// verdict's `note` says why.
    package func classify(_ failure: JSONValue, _ options: ClassifierOptions) -> Verdict {
        self.options = options
        guard failure.kind == .object else {
            var verdict = Verdict.unknown
            verdict.note = .notAnObject
            return verdict
        }
        gather(failure)
        if hasTooManyCauses {
            var verdict = Verdict.unknown
            verdict.note = .tooDeep
            return verdict
        }
        return verdict(of: matchingRule())
    }

    /// Asks the phases in their order.
    private func matchingRule() -> Int? {
        if let rule = firstMatch(.answer) { return rule }
        if let rule = firstMatchOfCauses() { return rule }
        return firstMatch(.remainder)
    }

    private func verdict(of rule: Int?) -> Verdict {
        guard let rule else { return unknown(rule: nil) }
        let then = rules.rules[rule].then
        if then.decision.isUnknown { return unknown(rule: rule) }
        var verdict = Verdict(
            disposition: then.decision.disposition, condition: then.decision.condition,
            action: then.decision.action, receivedAt: isReceivedAtTold ? receivedAt : nil,
            rule: rule)
        guard then.decision.disposition == .retry else { return verdict }
        guard isGateOpen(then.applied) else {
            verdict.disposition = .permanent
            verdict.condition = .now
            verdict.action = .introspectCause
            verdict.note = .outcomeUnknown
            return verdict
        }
        verdict.hint = hint(for: rule, pick: then.hintPick)
        verdict.policy = then.policy
        verdict.repeatMax = then.limit
        verdict.repeatFallback = Verdict.Fallback(
            disposition: then.afterLimit.disposition, action: then.afterLimit.action)
        return verdict
    }

    private func unknown(rule: Int?) -> Verdict {
        var verdict = Verdict.unknown
        verdict.rule = rule
        verdict.receivedAt = isReceivedAtTold ? receivedAt : nil
        guard options.retriesUnknown else { return verdict }
        guard isGateOpen(.maybe) else {
            verdict.note = .outcomeUnknown
            return verdict
        }
        verdict.disposition = .retry
        verdict.action = .none
        verdict.note = .unknownRetried
        return verdict
    }

    func readReceivedAt() {
        receivedAt = options.now
        isReceivedAtTold = false
        guard let fact = facts[Int(program.slots.receivedAt)],
            let told = WaitText.wallTime(fact)
        else { return }
        receivedAt = told
        isReceivedAtTold = true
    }
}
