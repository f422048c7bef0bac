import RetryModel

/// How a payload was given, so that it is given back the same way.
@frozen
package enum PayloadForm: UInt8, Sendable, CaseIterable {
    /// There is no payload.
    case none = 0
    case text = 1
    case json = 2
    case bytes = 3
}

/// What belongs to an operation and stays on disk. The store does not look inside.
///
/// The parts are views: they must live through the call they are given to, and those of a result
/// only live as long as the call they are given by. An empty part is one that is not there.
package struct BodyParts {
    package var payloadForm: PayloadForm
    package var key: UnsafeRawBufferPointer
    /// `event_id` of the told failure.
    package var eventID: UnsafeRawBufferPointer
    /// Tags and what else came with the operation, as JSON.
    package var attributes: UnsafeRawBufferPointer
    package var payload: UnsafeRawBufferPointer
    /// The failure document told with Submit, as JSON.
    package var failure: UnsafeRawBufferPointer
    /// The decision on it, as JSON.
    package var decision: UnsafeRawBufferPointer

    package static var nothing: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nil, count: 0)
    }

    package init(
        payloadForm: PayloadForm = .none, key: UnsafeRawBufferPointer = nothing,
        eventID: UnsafeRawBufferPointer = nothing, attributes: UnsafeRawBufferPointer = nothing,
        payload: UnsafeRawBufferPointer = nothing, failure: UnsafeRawBufferPointer = nothing,
        decision: UnsafeRawBufferPointer = nothing
    ) {
        self.payloadForm = payloadForm
        self.key = key
        self.eventID = eventID
        self.attributes = attributes
        self.payload = payload
        self.failure = failure
        self.decision = decision
    }
}

/// A body as it is stored: an entry of a chunk.
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 8 | operation |
/// | 8 | 4 | length of all that follows |
/// | 12 | 1 | version of this layout |
/// | 13 | 1 | form of the payload |
/// | 14, 18, 22, 26, 30, 34 | 4 each | lengths of the parts |
/// | 38 | | key, event id, attributes, decision, failure, payload |
enum BodyEntry {
    static let version: UInt8 = 1
    static let headBytes = 38
    /// In front of what the length at offset 8 counts.
    static let prefixBytes = 12

    static func length(of parts: BodyParts) -> Int {
        headBytes + parts.key.count + parts.eventID.count + parts.attributes.count
            + parts.payload.count + parts.failure.count + parts.decision.count
    }

    /// - Precondition: The parts have less than 4 GiB together; `Limits` allows far less.
    static func write(
        _ id: OperationID, _ parts: BodyParts, length: Int, to base: UnsafeMutableRawPointer
    ) {
        func put<Value: FixedWidthInteger>(_ value: Value, _ offset: Int) {
            base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
        }
        put(id.rawValue, 0)
        put(UInt32(length - prefixBytes), 8)
        put(version, 12)
        put(parts.payloadForm.rawValue, 13)
        put(UInt32(parts.key.count), 14)
        put(UInt32(parts.eventID.count), 18)
        put(UInt32(parts.attributes.count), 22)
        put(UInt32(parts.decision.count), 26)
        put(UInt32(parts.failure.count), 30)
        put(UInt32(parts.payload.count), 34)
        var end = base + headBytes
        func put(_ part: UnsafeRawBufferPointer) {
            guard let source = part.baseAddress else { return }
            end.copyMemory(from: source, byteCount: part.count)
            end += part.count
        }
        put(parts.key)
        put(parts.eventID)
        put(parts.attributes)
        put(parts.decision)
        put(parts.failure)
        put(parts.payload)
    }

    /// Reads one entry and leaves the reader behind it.
    static func read(
        _ reader: inout ByteReader
    ) throws(ByteReader.Malformed) -> (id: OperationID, parts: BodyParts) {
        let id = OperationID(rawValue: try reader.integer())
        var entry = ByteReader(try reader.text())
        guard try entry.integer(UInt8.self) == version,
            let form = PayloadForm(rawValue: try entry.integer())
        else { throw ByteReader.Malformed() }
        let keyCount = Int(try entry.integer(UInt32.self))
        let eventCount = Int(try entry.integer(UInt32.self))
        let attributesCount = Int(try entry.integer(UInt32.self))
        let decisionCount = Int(try entry.integer(UInt32.self))
        let failureCount = Int(try entry.integer(UInt32.self))
        let payloadCount = Int(try entry.integer(UInt32.self))
        var parts = BodyParts(payloadForm: form)
        parts.key = try entry.bytes(keyCount)
        parts.eventID = try entry.bytes(eventCount)
        parts.attributes = try entry.bytes(attributesCount)
        parts.decision = try entry.bytes(decisionCount)
        parts.failure = try entry.bytes(failureCount)
        parts.payload = try entry.bytes(payloadCount)
        guard entry.isAtEnd else { throw ByteReader.Malformed() }
        return (id, parts)
    }

    /// Takes the next entry of a chunk off the reader, whole; nil: that was the last.
    static func next(
        _ reader: inout ByteReader
    ) throws(ByteReader.Malformed) -> (id: OperationID, entry: UnsafeRawBufferPointer)? {
        if reader.isAtEnd { return nil }
        let start = reader.rest
        let id = OperationID(rawValue: try reader.integer())
        let length = prefixBytes + (try reader.text().count)
        return (id, UnsafeRawBufferPointer(rebasing: start[..<length]))
    }
}
