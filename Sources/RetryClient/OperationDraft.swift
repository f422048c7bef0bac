import JSON

/// An operation to hand over: what the interface's type `Operation` takes. What is nil is left to
/// the daemon's default.
public struct OperationDraft: Hashable, Sendable {
    /// What a worker gets, in the form it was handed over.
    public enum Payload: Hashable, Sendable {
        case none
        case text(String)
        /// Kept as JSON.
        case json(RawJSON)
        case bytes([UInt8])
    }

    /// What a second operation of the same key means.
    public enum KeyMode: String, Sendable, CaseIterable {
        /// The existing operation is the answer; a dead one is revived.
        case keep
        /// The existing operation takes the new payload and failure.
        case replace
        /// As `keep`, with the higher of both priorities.
        case coalesce
    }

    /// What to make of a failure no rule knows.
    public enum Unknown: String, Sendable, CaseIterable {
        case permanent
        case retry
    }

    /// The name workers lease by. Kinds other than `custom` have their own.
    public var queue: String?
    /// `custom`, `command`, `unit` or `http`.
    public var kind: String?
    /// Deduplicates per owner and queue.
    public var key: String?
    public var keyMode: KeyMode?
    public var payload = Payload.none
    /// Whose foreground it may wait for: `user:UID` or `app:NAME`.
    public var scope: String?
    /// The remote party.
    public var destination: String?
    /// The sign-in it uses.
    public var credential: String?
    /// The policy's name.
    public var policy: String?
    /// -100 to 100, higher first.
    public var priority: Int64?
    public var tags: [String] = []
    /// No attempt begins later. Microseconds since the epoch.
    public var deadlineUsec: Int64?
    /// Whether repeating it is safe; nil: not known.
    public var isIdempotent: Bool?
    public var unknown: Unknown?

    public init(queue: String? = nil, kind: String? = nil) {
        self.queue = queue
        self.kind = kind
    }

    func write(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("queue", queue)
        writer.member("kind", kind)
        writer.member("key", key)
        writer.member("key_mode", keyMode?.rawValue)
        payload.write(into: &writer)
        writer.member("scope", scope)
        writer.member("destination", destination)
        writer.member("credential", credential)
        writer.member("policy", policy)
        writer.member("priority", priority)
        if !tags.isEmpty {
            writer.name("tags")
            writer.beginArray()
            for tag in tags { writer.string(tag) }
            writer.endArray()
        }
        writer.member("deadline_usec", deadlineUsec)
        writer.member("idempotent", isIdempotent)
        writer.member("unknown", unknown?.rawValue)
        writer.endObject()
    }
}

extension OperationDraft.Payload {
    /// The member it is handed over as, if there is one.
    func write(into writer: inout JSONWriter) {
        switch self {
        case .none: break
        case .text(let text): writer.member("payload", text)
        case .json(let json): writer.member("payload", json)
        case .bytes(let bytes):
            writer.name("payload_base64")
            writer.base64(bytes)
        }
    }
}

extension JSONWriter {
    mutating func base64(_ bytes: [UInt8]) {
        let text = bytes.withUnsafeBytes { Base64.encode($0) }
        text.withUnsafeBufferPointer { string($0) }
    }
}

/// Members that are written only where there is a value.
extension JSONWriter {
    mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        self.name(name)
        string(value)
    }

    mutating func member(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        self.name(name)
        integer(value)
    }

    mutating func member(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        self.name(name)
        bool(value)
    }

    mutating func member(_ name: StaticString, _ value: RawJSON?) {
        guard let value else { return }
        self.name(name)
        raw(value.bytes)
    }
}
