import JSON
import RetryConfig
import RetryCore
import RetryModel
import RetryRules
import RetryStore
import Varlink

/// A failure document as it was told: what is kept of it and what it means.
struct ReadFailure {
    /// Without secrets, as it is stored; in `Engine.scratchFailure`.
    var told: ToldFailure
    var eventID: JSONText?
    var eventHash: UInt64
}

extension Engine {
    /// Reads a failure: its event, its meaning, and (into `scratchFailure`) what is kept of it.
    ///
    /// - Parameter document: Nil: nothing is known about the failure.
    func readFailure(
        _ document: JSONValue?, owner: UserID, isIdempotent: Bool?, retriesUnknown: Bool
    ) throws(ServiceError) -> ReadFailure {
        scratchFailure.restart()
        guard let document else {
            return ReadFailure(told: ToldFailure(.unknown, rule: 0), eventID: nil, eventHash: 0)
        }
        let event = try eventID(of: document)
        settings.redact(document, into: &scratchFailure)
        guard scratchFailure.count <= settings.configuration.limits.failureBytesMax else {
            let bytesMax = settings.configuration.limits.failureBytesMax
            throw .invalidParameter("failure", reason: "longer than \(bytesMax) bytes")
        }
        let verdict = settings.classify(
            document, isIdempotent: isIdempotent, retriesUnknown: retriesUnknown, now: now)
        return ReadFailure(
            told: ToldFailure(
                verdict, rule: storedRule(of: verdict), bytes: scratchFailure.count),
            eventID: event,
            eventHash: event.map { hash(event: $0, owner: owner) } ?? 0)
    }

    func eventID(of document: JSONValue) throws(ServiceError) -> JSONText? {
        guard let value = document["event_id"], !value.isNull else { return nil }
        guard let text = value.text, text.count > 0, text.count <= Limits.keyBytesMax else {
            throw .invalidParameter(
                "failure",
                reason: "`event_id` must be a string of 1 to \(Limits.keyBytesMax) bytes")
        }
        return text
    }

    private func storedRule(of verdict: Verdict) -> RuleIndex {
        guard let rule = verdict.rule else { return 0 }
        let (index, isNew) = ruleNames.index(
            ofRule: rule, name: settings.ruleName(rule))
        if isNew, let name = ruleNames.name(index) {
            filling.saveRule(index, name: name, packHash: settings.rulesHash)
        }
        return index
    }

    func hash(key: some Sequence<UInt8>, owner: UserID, queue: String) -> UInt64 {
        var hash = SipHash(key0: hashKeys.0, key1: hashKeys.1)
        hash.combine(owner)
        hash.combine(queue.utf8)
        hash.combine(0 as UInt8)
        hash.combine(key)
        return hash.finish()
    }

    func hash(event: JSONText, owner: UserID) -> UInt64 {
        // Another domain than keys: the same text as key and as event hashes differently.
        var hash = SipHash(key0: ~hashKeys.0, key1: hashKeys.1)
        hash.combine(owner)
        hash.combine(event.bytes)
        return hash.finish()
    }
}
