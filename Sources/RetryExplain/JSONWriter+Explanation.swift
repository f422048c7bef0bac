package import JSON
import RetryModel
package import RetryRules

extension JSONWriter {
    /// What an explanation tells besides the judgement; the object around it is the caller's.
    package mutating func explanationMembers(_ explained: ExplainedFailure, _ rules: RuleSet) {
        let explanation = explained.explanation
        let rule = explained.judgement.rule
        name("phase")
        text(rule?.phase.name)
        name("description")
        text(rule.flatMap { $0.description.isEmpty ? nil : $0.description })
        name("source")
        text(rule.flatMap { $0.source.isEmpty ? nil : $0.source })
        name("gate")
        text(explanation.gate)
        name("evidence")
        beginArray()
        for evidence in explanation.evidence {
            beginObject()
            name("path")
            string(evidence.path)
            name("value")
            string(evidence.value)
            endObject()
        }
        endArray()
        considered(explanation.considered, rules)
        causes(explanation.causes)
        hints(explanation.hints, explained.judgement)
        schedule(explained.schedule)
    }

    private mutating func considered(
        _ considerations: [Explanation.Consideration], _ rules: RuleSet
    ) {
        name("considered")
        beginArray()
        for consideration in considerations {
            let rule = rules.rules[consideration.rule]
            beginObject()
            name("rule")
            string(rule.name)
            name("phase")
            string(rule.phase.name)
            name("file")
            string(rule.file)
            name("line")
            integer(Int64(rule.line))
            name("mismatch")
            text(consideration.mismatch)
            name("cause")
            text(consideration.cause)
            endObject()
        }
        endArray()
    }

    private mutating func causes(_ causes: [Explanation.Cause]) {
        name("causes")
        beginArray()
        for cause in causes {
            beginObject()
            name("error")
            string(cause.name)
            name("outcome")
            switch cause.outcome {
            case .echo: literal("echo")
            case .unknown: literal("unknown")
            case .decided: literal("decided")
            }
            endObject()
        }
        endArray()
    }

    private mutating func hints(_ hints: [Explanation.Hint], _ judgement: Judgement) {
        name("hints")
        beginArray()
        for hint in hints {
            beginObject()
            name("name")
            string(hint.name)
            name("path")
            text(hint.path.isEmpty ? nil : hint.path)
            name("value")
            string(hint.value)
            name("wait_s")
            if let seconds = Self.seconds(of: hint.wait, judgement) {
                number(seconds)
            } else {
                null()
            }
            name("usable")
            bool(hint.wait != nil)
            endObject()
        }
        endArray()
    }

    /// A hint in seconds from the receipt of the failure; 0 where it says that nothing is to be
    /// waited for.
    private static func seconds(of wait: WaitHint?, _ judgement: Judgement) -> Double? {
        guard let wait else { return nil }
        var verdict = judgement.verdict
        verdict.hint = wait
        return max(verdict.hintSeconds(now: judgement.now) ?? 0, 0)
    }

    private mutating func schedule(_ schedule: Schedule?) {
        name("schedule")
        guard let schedule else { return null() }
        beginObject()
        name("attempts")
        beginArray()
        for step in schedule.steps {
            beginObject()
            name("attempt")
            integer(Int64(step.attempt))
            name("delay_ms_min")
            integer(step.delay.lowerBound.millisecondsUp)
            name("delay_ms_max")
            integer(step.delay.upperBound.millisecondsUp)
            name("earliest_usec")
            integer(step.due.lowerBound.usec)
            name("latest_usec")
            integer(step.due.upperBound.usec)
            endObject()
        }
        endArray()
        name("end")
        switch schedule.end {
        case .attempts: literal("max-attempts")
        case .age: literal("max-age")
        case .limit: literal("limit")
        case .cut: null()
        }
        endObject()
    }
}
