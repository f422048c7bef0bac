package import RetryModel

/// What is kept about one attempt after the first. The store does not look inside.
///
/// The views follow the rules of `BodyParts`.
package struct AttemptParts {
    /// How it ended; the daemon gives the number its meaning.
    package var outcome: UInt8
    package var at: WallTime
    /// Who reported it.
    package var user: UserID
    package var eventID: UnsafeRawBufferPointer
    package var failure: UnsafeRawBufferPointer
    package var decision: UnsafeRawBufferPointer

    package init(
        outcome: UInt8, at: WallTime, user: UserID,
        eventID: UnsafeRawBufferPointer = BodyParts.nothing,
        failure: UnsafeRawBufferPointer = BodyParts.nothing,
        decision: UnsafeRawBufferPointer = BodyParts.nothing
    ) {
        self.outcome = outcome
        self.at = at
        self.user = user
        self.eventID = eventID
        self.failure = failure
        self.decision = decision
    }
}

/// An attempt as it is stored: version and outcome, one byte each; user, 4; time, 8; lengths of
/// event id, failure and decision, 4 each; then these three.
enum PackedAttempt {
    static let version: UInt8 = 1
    static let headBytes = 26

    static func length(of parts: AttemptParts) -> Int {
        headBytes + parts.eventID.count + parts.failure.count + parts.decision.count
    }

    static func append(_ parts: AttemptParts, to buffer: inout ByteBuffer) {
        buffer.append(version)
        buffer.append(parts.outcome)
        buffer.append(parts.user)
        buffer.append(parts.at.usec)
        buffer.append(UInt32(parts.eventID.count))
        buffer.append(UInt32(parts.failure.count))
        buffer.append(UInt32(parts.decision.count))
        buffer.append(parts.eventID)
        buffer.append(parts.failure)
        buffer.append(parts.decision)
    }

    static func read(
        _ bytes: UnsafeRawBufferPointer
    ) throws(ByteReader.Malformed) -> AttemptParts {
        var reader = ByteReader(bytes)
        guard try reader.integer(UInt8.self) == version else { throw ByteReader.Malformed() }
        let outcome = try reader.integer(UInt8.self)
        let user = try reader.integer(UserID.self)
        let at = WallTime(usec: try reader.integer())
        let eventCount = Int(try reader.integer(UInt32.self))
        let failureCount = Int(try reader.integer(UInt32.self))
        let decisionCount = Int(try reader.integer(UInt32.self))
        let parts = AttemptParts(
            outcome: outcome, at: at, user: user, eventID: try reader.bytes(eventCount),
            failure: try reader.bytes(failureCount), decision: try reader.bytes(decisionCount))
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
        return parts
    }
}
