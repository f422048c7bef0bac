import JSON
import RetryConfig
import RetryCore
import RetryModel
import RetryStore
import Varlink

/// A payload as it is stored.
enum Payload {
    case none
    /// A view on the call.
    case text(UnsafeRawBufferPointer)
    case json([UInt8])
    case bytes([UInt8])

    var count: Int {
        switch self {
        case .none: 0
        case .text(let text): text.count
        case .json(let bytes), .bytes(let bytes): bytes.count
        }
    }
}

extension Engine {
    func payload(of operation: OperationParameters) throws(ServiceError) -> Payload {
        let bytesMax = settings.configuration.limits.payloadBytesMax
        let payload: Payload
        let count: Int
        if let value = operation.payload {
            if let text = value.text {
                payload = .text(UnsafeRawBufferPointer(text.bytes))
                count = text.count
            } else {
                var writer = JSONWriter()
                writer.value(value)
                payload = .json(writer.bytes)
                count = writer.count
            }
        } else if let text = operation.payloadBase64 {
            guard let bytes = Base64.decode(text.bytes) else {
                throw .invalidParameter("payload_base64", reason: "it is not base64 (RFC 4648)")
            }
            payload = .bytes(bytes)
            count = bytes.count
        } else {
            return .none
        }
        guard count <= bytesMax else {
            throw .invalidParameter(
                "payload",
                reason: "longer than \(bytesMax) bytes; keep it in a file and hand over its name")
        }
        return payload
    }

    /// Orders everything stored that only the disk keeps.
    func saveBody(
        _ id: OperationID, _ judged: JudgedSubmit, _ failure: ReadFailure, _ payload: Payload,
        _ decision: Decision, isNew: Bool
    ) {
        writeDecision(decision, of: id)
        writeAttributes(judged.parameters.operation)
        var parts = BodyParts()
        if let key = judged.parameters.operation.key {
            parts.key = UnsafeRawBufferPointer(key.bytes)
        }
        if let event = failure.eventID { parts.eventID = UnsafeRawBufferPointer(event.bytes) }
        scratchAttributes.withBytes { attributes in
            parts.attributes = attributes
            scratchFailure.withBytes { failure in
                parts.failure = failure
                scratchDecision.withBytes { decision in
                    parts.decision = decision
                    save(id, &parts, payload, isNew: isNew)
                }
            }
        }
    }

    private func writeAttributes(_ operation: OperationParameters) {
        scratchAttributes.restart()
        scratchAttributes.beginObject()
        scratchAttributes.member("at_usec", now.wall.usec)
        if let tags = operation.tags {
            scratchAttributes.name("tags")
            scratchAttributes.value(tags)
        }
        scratchAttributes.endObject()
    }

    private func save(
        _ id: OperationID, _ parts: inout BodyParts, _ payload: Payload, isNew: Bool
    ) {
        switch payload {
        case .none:
            put(id, parts, isNew)
        case .text(let text):
            parts.payloadForm = .text
            parts.payload = text
            put(id, parts, isNew)
        case .json(let text):
            parts.payloadForm = .json
            text.withUnsafeBytes { bytes in
                parts.payload = bytes
                put(id, parts, isNew)
            }
        case .bytes(let bytes):
            parts.payloadForm = .bytes
            bytes.withUnsafeBytes { bytes in
                parts.payload = bytes
                put(id, parts, isNew)
            }
        }
    }

    private func put(_ id: OperationID, _ parts: BodyParts, _ isNew: Bool) {
        if isNew { filling.saveBody(id, parts) } else { filling.replaceBody(id, parts) }
    }
}

extension JSONWriter {
    /// `payload` and `payload_base64`, in the form they were given.
    mutating func payload(of parts: BodyParts) {
        let bytes = parts.payload
        name("payload")
        switch parts.payloadForm {
        case .none, .bytes: null()
        case .text: string(bytes.bindMemory(to: UInt8.self))
        case .json: raw(bytes)
        }
        name("payload_base64")
        switch parts.payloadForm {
        case .none, .text, .json: null()
        case .bytes:
            Base64.encode(bytes).withUnsafeBufferPointer { string($0) }
        }
    }

    /// A document as it is stored; null where there is none.
    mutating func document(_ name: StaticString, _ json: UnsafeRawBufferPointer) {
        self.name(name)
        if json.isEmpty { null() } else { raw(json) }
    }
}
