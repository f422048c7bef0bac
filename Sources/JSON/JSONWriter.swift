/// Writes JSON by hand into one growing buffer, without making strings of parts.
///
/// Commas are the writer's business, the nesting is the caller's: every `begin` has its `end`.
/// Values are written compactly; `PrettyJSON` indents a finished text.
@frozen
public struct JSONWriter {
    /// Initialized in full; the first `used` bytes are the text. It has one owner at nearly any
    /// time, so that writing into it copies nothing.
    @usableFromInline var storage: [UInt8]
    @usableFromInline var used: Int
    /// Whether the next value or name of the open container needs a comma before it.
    @usableFromInline var needsComma = false

    /// - Parameter bytes: What the text begins with.
    @inlinable
    public init(_ bytes: [UInt8] = []) {
        storage = bytes
        used = bytes.count
    }

    /// Bytes of the text.
    @inlinable
    public var count: Int { used }

    /// Bytes there is memory for.
    @inlinable
    public var capacity: Int { storage.count }

    /// A copy of the text.
    public var bytes: [UInt8] {
        Array(storage[..<used])
    }

    /// The text where it lies, for the time of the call.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.span.withUnsafeBytes { (bytes) throws(Failure) in
            try body(UnsafeRawBufferPointer(rebasing: bytes[..<used]))
        }
    }

    /// Begins a new text in the memory of the last one.
    @inlinable
    public mutating func restart() {
        used = 0
        needsComma = false
    }

    // MARK: Containers

    @inlinable
    public mutating func beginObject() {
        open(0x7B)
    }

    @inlinable
    public mutating func endObject() {
        close(0x7D)
    }

    @inlinable
    public mutating func beginArray() {
        open(0x5B)
    }

    @inlinable
    public mutating func endArray() {
        close(0x5D)
    }

    /// A member's name; its value is what is written next.
    ///
    /// Always inlined: where the name is written down, its length is known and copying it is a
    /// move or two.
    @inlinable
    @inline(__always)
    public mutating func name(_ name: StaticString) {
        let start = needsComma ? 1 : 0
        let length = name.utf8CodeUnitCount
        append(atMost: length + 4) { end in
            end[0] = 0x2C
            end[start] = 0x22
            (end + start + 1).update(from: name.utf8Start, count: length)
            end[start + length + 1] = 0x22
            end[start + length + 2] = 0x3A
            return start + length + 3
        }
        needsComma = false
    }

    public mutating func name(_ name: String) {
        var name = name
        name.withUTF8 { utf8 in quote(utf8, isName: true) }
    }

    public mutating func name(_ name: JSONText) {
        quote(name.bytes, isName: true)
    }

    // MARK: Values

    @inlinable
    public mutating func null() {
        word("null")
    }

    @inlinable
    public mutating func bool(_ value: Bool) {
        word(value ? "true" : "false")
    }

    @inlinable
    public mutating func integer(_ value: Int64) {
        let start = needsComma ? 1 : 0
        append(atMost: Decimal.bytesMax + 1) { end in
            end[0] = 0x2C
            return start + Decimal.write(value, to: end + start)
        }
        needsComma = true
    }

    /// A number; infinities and NaN, which JSON cannot say, become null.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        if let whole = Int64(exactly: value), abs(value) < 1e15 {
            integer(whole)
            // Keeps a fraction a fraction for whoever reads it again.
            append(0x2E)
            append(0x30)
        } else {
            raw(value.description.utf8)
        }
    }

    public mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in quote(utf8, isName: false) }
    }

    /// A string given as UTF-8.
    public mutating func string(_ utf8: UnsafeBufferPointer<UInt8>) {
        quote(utf8, isName: false)
    }

    /// A string known at compile time that needs no escape.
    @inlinable
    public mutating func literal(_ value: StaticString) {
        let start = needsComma ? 1 : 0
        let length = value.utf8CodeUnitCount
        append(atMost: length + 3) { end in
            end[0] = 0x2C
            end[start] = 0x22
            (end + start + 1).update(from: value.utf8Start, count: length)
            end[start + length + 1] = 0x22
            return start + length + 2
        }
        needsComma = true
    }

    /// A finished JSON text.
    @inlinable
    public mutating func raw(_ json: some Collection<UInt8>) {
        separate()
        let copied: Void? = json.withContiguousStorageIfAvailable { bytes in append(bytes) }
        if copied == nil {
            for byte in json { append(byte) }
        }
        needsComma = true
    }

    /// A value of a parsed document, as it is.
    public mutating func value(_ value: JSONValue) {
        switch value.kind {
        case .object:
            beginObject()
            if let members = value.members {
                for member in members {
                    name(member.name)
                    self.value(member.value)
                }
            }
            endObject()
        case .array:
            beginArray()
            if let elements = value.elements {
                for element in elements { self.value(element) }
            }
            endArray()
        case .string:
            if let text = value.text { string(text.bytes) }
        case .integer:
            integer(value.integer ?? 0)
        case .unsigned:
            raw(String(value.tape[value.index + 1]).utf8)
        case .double:
            double(value.double ?? 0)
        case .bool:
            bool(value.bool ?? false)
        case .null:
            null()
        }
    }

    /// Ends a text with a byte that separates it from the next one in the same buffer.
    @inlinable
    public mutating func endText(terminator: UInt8) {
        append(terminator)
        needsComma = false
    }
}
