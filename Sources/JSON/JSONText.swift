/// A string inside a parsed document: UTF-8 bytes, not copied.
///
/// Valid as long as the document it came from.
@frozen
public struct JSONText {
    public let base: UnsafePointer<UInt8>
    public let count: Int

    @inlinable
    init(base: UnsafePointer<UInt8>, count: Int) {
        self.base = base
        self.count = count
    }

    @inlinable
    public var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base, count: count)
    }

    /// A copy that outlives the document.
    @inlinable
    public var string: String {
        String(decoding: bytes, as: UTF8.self)
    }

    @inlinable
    public static func == (text: JSONText, literal: StaticString) -> Bool {
        guard text.count == literal.utf8CodeUnitCount else { return false }
        let other = literal.utf8Start
        for index in 0..<text.count where text.base[index] != other[index] { return false }
        return true
    }

    /// So that `switch member.name { case "queue": … }` works without making a String.
    @inlinable
    public static func ~= (literal: StaticString, text: JSONText) -> Bool {
        text == literal
    }

    public static func == (text: JSONText, other: JSONText) -> Bool {
        text.count == other.count && text.bytes.elementsEqual(other.bytes)
    }

    /// Whether the text equals an ASCII literal when upper and lower case count the same.
    @inlinable
    public func equalsIgnoringCase(_ literal: StaticString) -> Bool {
        guard count == literal.utf8CodeUnitCount else { return false }
        let other = literal.utf8Start
        for index in 0..<count where asciiLowercased(base[index]) != asciiLowercased(other[index]) {
            return false
        }
        return true
    }
}

@inlinable
public func asciiLowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
}
