/// Writes JSON by hand into one growing buffer, without making strings of parts.
///
/// Commas are the writer's business, the nesting is the caller's: every `begin` has its `end`.
/// Values are written compactly; `PrettyJSON` indents a finished text.
@frozen
public struct JSONWriter {
    public var bytes: [UInt8]
    /// Whether the next value or name of the open container needs a comma before it.
    @usableFromInline var needsComma = false

    @inlinable
    public init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// Begins a new text in the memory of the last one.
    @inlinable
    public mutating func restart() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    // MARK: Containers

    @inlinable
    public mutating func beginObject() {
        separate()
        bytes.append(0x7B)
        needsComma = false
    }

    @inlinable
    public mutating func endObject() {
        bytes.append(0x7D)
        needsComma = true
    }

    @inlinable
    public mutating func beginArray() {
        separate()
        bytes.append(0x5B)
        needsComma = false
    }

    @inlinable
    public mutating func endArray() {
        bytes.append(0x5D)
        needsComma = true
    }

    /// A member's name; its value is what is written next.
    @inlinable
    public mutating func name(_ name: StaticString) {
        separate()
        bytes.append(0x22)
        append(name)
        bytes.append(0x22)
        bytes.append(0x3A)
        needsComma = false
    }

    public mutating func name(_ name: String) {
        string(name)
        bytes.append(0x3A)
        needsComma = false
    }

    public mutating func name(_ name: JSONText) {
        string(name.bytes)
        bytes.append(0x3A)
        needsComma = false
    }

    // MARK: Values

    @inlinable
    public mutating func null() {
        separate()
        append("null")
        needsComma = true
    }

    @inlinable
    public mutating func bool(_ value: Bool) {
        separate()
        append(value ? "true" : "false")
        needsComma = true
    }

    @inlinable
    public mutating func integer(_ value: Int64) {
        separate()
        appendDecimal(value)
        needsComma = true
    }

    /// A number; infinities and NaN, which JSON cannot say, become null.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        if let whole = Int64(exactly: value), abs(value) < 1e15 {
            appendDecimal(whole)
            // Keeps a fraction a fraction for whoever reads it again.
            append(".0")
        } else {
            bytes.append(contentsOf: value.description.utf8)
        }
        needsComma = true
    }

    @inlinable
    public mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in string(utf8) }
    }

    /// A string given as UTF-8.
    public mutating func string(_ utf8: UnsafeBufferPointer<UInt8>) {
        separate()
        bytes.append(0x22)
        var clean = 0
        for index in 0..<utf8.count where needsEscape(utf8[index]) {
            bytes.append(contentsOf: utf8[clean..<index])
            appendEscape(utf8[index])
            clean = index + 1
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[clean...]))
        bytes.append(0x22)
        needsComma = true
    }

    /// A string known at compile time that needs no escape.
    @inlinable
    public mutating func literal(_ value: StaticString) {
        separate()
        bytes.append(0x22)
        append(value)
        bytes.append(0x22)
        needsComma = true
    }

    /// A finished JSON text.
    @inlinable
    public mutating func raw(_ json: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
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
            separate()
            bytes.append(contentsOf: String(value.tape[value.index + 1]).utf8)
            needsComma = true
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
        bytes.append(terminator)
        needsComma = false
    }

    // MARK: Parts

    @inlinable
    mutating func separate() {
        if needsComma { bytes.append(0x2C) }
    }

    @inlinable
    mutating func append(_ literal: StaticString) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(
                start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    @inlinable
    mutating func appendDecimal(_ value: Int64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = value.magnitude
            var first = 20
            repeat {
                first -= 1
                digits[first] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if value < 0 { bytes.append(0x2D) }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
        }
    }

    private func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C
    }

    private mutating func appendEscape(_ byte: UInt8) {
        bytes.append(0x5C)
        switch byte {
        case 0x22, 0x5C: bytes.append(byte)
        case 0x0A: bytes.append(0x6E)
        case 0x0D: bytes.append(0x72)
        case 0x09: bytes.append(0x74)
        default:
            append("u00")
            bytes.append(hexDigit(byte >> 4))
            bytes.append(hexDigit(byte & 15))
        }
    }

    private func hexDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? 0x30 + nibble : 0x57 + nibble
    }
}
