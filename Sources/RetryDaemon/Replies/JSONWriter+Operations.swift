import JSON
import RetryCore
import RetryModel
import RetryStore

extension JSONWriter {
    /// The type `LeasedOperation` up to its last failure.
    mutating func leased(_ grant: Grant, _ parts: BodyParts, _ now: Now) {
        let record = grant.record
        let lane = grant.lane
        beginObject()
        member("id", record.id.rawValue)
        member("token", Int64(record.token.rawValue))
        member("attempt", Int64(grant.attempt))
        // The recovery counted in advance has not happened.
        member("recoveries", Int64(record.recoveries) - 1)
        member("queue", lane.queue)
        member("kind", word: lane.kind.name)
        key(of: parts)
        member("owner_uid", Int64(lane.owner))
        member("owner_gid", Int64(lane.group))
        member("scope", lane.scope)
        member("destination", lane.destination)
        member("credential", lane.credential)
        let generation = lane.credential == nil ? nil : record.lease?.credentialGeneration
        member("credential_generation", generation.map { Int64($0) })
        member("priority", Int64(record.priority))
        tags(of: parts)
        name("idempotent")
        if let isIdempotent = record.isIdempotent { bool(isIdempotent) } else { null() }
        member("deadline_usec", record.deadline?.usec)
        member("visibility_usec", record.due, now)
        if lane.kind == .unit { member("reset_after_ms", grant.resetAfter.usec / 1_000) }
        payload(of: parts)
    }

    /// `failure` and `dpop_nonce` of the type `LeasedOperation`.
    mutating func lastFailure(_ document: UnsafeRawBufferPointer, _ nonces: DPoPNonces) {
        self.document("failure", document)
        member("dpop_nonce", nonces.nonce(in: document))
    }

    /// The type `Summary`.
    mutating func summary(_ view: Scheduler.View, _ body: BodyParts, _ words: Words) {
        let record = view.record
        let lane = words.lane(record.lane)
        beginObject()
        member("id", record.id.rawValue)
        key(of: body)
        member("queue", lane.queue)
        member("kind", word: lane.kind.name)
        member("owner_uid", Int64(lane.owner))
        member("state", word: view.state.name)
        if record.cause == .none {
            member("cause", String?.none)
        } else {
            member("cause", word: record.cause.name)
        }
        member("due_usec", view.state.isWaiting ? record.due : nil, words.now)
        member("reason", word: view.reason.code)
        member("until_usec", view.reason.until, words.now)
        member("attempts", Int64(record.attempts))
        member("deferrals", Int64(record.deferrals))
        let isRunning = view.state == .leased
        member("recoveries", Int64(record.recoveries) - (isRunning ? 1 : 0))
        member("priority", Int64(record.priority))
        member("rule", words.ruleName(record.rule))
        member("policy", words.policyName(record.policy))
        member("scope", lane.scope)
        member("destination", lane.destination)
        member("credential", lane.credential)
        tags(of: body)
        member("first_failure_usec", record.firstFailure.usec)
        member("since_usec", record.since.usec)
        member("deadline_usec", record.deadline?.usec)
        name("others")
        beginArray()
        for other in view.others { reason(other, words.now) }
        endArray()
        endObject()
    }

    private mutating func key(of parts: BodyParts) {
        name("key")
        if parts.key.isEmpty { null() } else { string(parts.key.bindMemory(to: UInt8.self)) }
    }

    private mutating func tags(of parts: BodyParts) {
        name("tags")
        raw(Attributes.tags(in: parts.attributes))
    }
}

/// What the store keeps as `attributes`: written by `Engine.saveBody`, `tags` last.
enum Attributes {
    private static let mark: StaticString = "\"tags\":"
    private static let none: StaticString = "[]"

    /// The text of the array of tags.
    static func tags(in attributes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        // `at_usec` is a number, so the first mark is the member.
        for start in 0..<max(0, attributes.count - mark.utf8CodeUnitCount)
        where attributes[start] == 0x22 && isMark(attributes, at: start) {
            let first = start + mark.utf8CodeUnitCount
            return UnsafeRawBufferPointer(rebasing: attributes[first..<(attributes.count - 1)])
        }
        return UnsafeRawBufferPointer(start: none.utf8Start, count: none.utf8CodeUnitCount)
    }

    private static func isMark(_ attributes: UnsafeRawBufferPointer, at start: Int) -> Bool {
        for index in 0..<mark.utf8CodeUnitCount
        where attributes[start + index] != mark.utf8Start[index] {
            return false
        }
        return true
    }

    /// When the failure was told.
    static func toldAt(in attributes: UnsafeRawBufferPointer) -> Int64? {
        let digits = attributes.drop { $0 < 0x30 || $0 > 0x39 }.prefix { $0 >= 0x30 && $0 <= 0x39 }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
