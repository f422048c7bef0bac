public import JSON

/// A JSON text that is passed on as it is: failure documents, payloads, parameters of errors.
public struct RawJSON: Hashable, Sendable {
    /// UTF-8. Whoever makes one vouches that it is JSON; the daemon refuses what is not.
    public var bytes: [UInt8]

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// A copy of a parsed value that outlives its document.
    public init(_ value: JSONValue) {
        var writer = JSONWriter()
        writer.value(value)
        bytes = writer.bytes
    }

    public var string: String { String(decoding: bytes, as: UTF8.self) }
}
