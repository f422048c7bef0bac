/// A value inside a parsed document.
///
/// A view on simdjson's tape: copying it costs three words and reading it allocates nothing.
/// Valid until its parser parses again.
@frozen
public struct JSONValue {
    @usableFromInline let tape: UnsafePointer<UInt64>
    @usableFromInline let strings: UnsafePointer<UInt8>
    @usableFromInline let index: Int

    @inlinable
    init(tape: UnsafePointer<UInt64>, strings: UnsafePointer<UInt8>, index: Int) {
        self.tape = tape
        self.strings = strings
        self.index = index
    }

    /// The kinds of JSON, numbers by how they can be held.
    @frozen
    public enum Kind: Sendable {
        case object, array, string, integer, unsigned, double, bool, null
    }

    @inlinable
    public var kind: Kind {
        switch tag {
        case Tag.object: .object
        case Tag.array: .array
        case Tag.string: .string
        case Tag.integer: .integer
        case Tag.unsigned: .unsigned
        case Tag.double: .double
        case Tag.true, Tag.false: .bool
        default: .null
        }
    }

    @inlinable
    public var isNull: Bool { tag == Tag.null }

    /// The text of a string, nil for every other kind.
    @inlinable
    public var text: JSONText? {
        guard tag == Tag.string else { return nil }
        // A length of four bytes, not aligned, then the bytes.
        let start = strings + Int(payload)
        let count = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
        return JSONText(base: start + 4, count: Int(count))
    }

    /// A copy of a string, nil for every other kind.
    @inlinable
    public var string: String? { text?.string }

    /// A whole number within 64 bits signed, nil for every other kind (fractions too).
    @inlinable
    public var integer: Int64? {
        switch tag {
        case Tag.integer: Int64(bitPattern: tape[index + 1])
        case Tag.unsigned: Int64(exactly: tape[index + 1])
        default: nil
        }
    }

    /// Any number, nil for every other kind.
    @inlinable
    public var double: Double? {
        switch tag {
        case Tag.integer: Double(Int64(bitPattern: tape[index + 1]))
        case Tag.unsigned: Double(tape[index + 1])
        case Tag.double: Double(bitPattern: tape[index + 1])
        default: nil
        }
    }

    @inlinable
    public var bool: Bool? {
        switch tag {
        case Tag.true: true
        case Tag.false: false
        default: nil
        }
    }

    /// The members of an object in the order of the text, nil for every other kind.
    @inlinable
    public var members: Members? {
        guard tag == Tag.object else { return nil }
        return Members(container: self)
    }

    /// The elements of an array, nil for every other kind.
    @inlinable
    public var elements: Elements? {
        guard tag == Tag.array else { return nil }
        return Elements(container: self)
    }

    /// The first member of that name; nil where there is none or this is no object.
    @inlinable
    public subscript(name: StaticString) -> JSONValue? {
        guard let members else { return nil }
        for member in members where member.name == name { return member.value }
        return nil
    }

    // MARK: The tape

    @usableFromInline
    enum Tag {
        @usableFromInline static var object: UInt8 { 0x7B }  // {
        @usableFromInline static var array: UInt8 { 0x5B }  // [
        @usableFromInline static var string: UInt8 { 0x22 }  // "
        @usableFromInline static var integer: UInt8 { 0x6C }  // l
        @usableFromInline static var unsigned: UInt8 { 0x75 }  // u
        @usableFromInline static var double: UInt8 { 0x64 }  // d
        @usableFromInline static var `true`: UInt8 { 0x74 }  // t
        @usableFromInline static var `false`: UInt8 { 0x66 }  // f
        @usableFromInline static var null: UInt8 { 0x6E }  // n
    }

    @inlinable
    var tag: UInt8 { UInt8(truncatingIfNeeded: tape[index] >> 56) }

    @inlinable
    var payload: UInt64 { tape[index] & 0x00FF_FFFF_FFFF_FFFF }

    /// The tape position behind this value.
    @inlinable
    var indexAfter: Int {
        switch tag {
        case Tag.object, Tag.array: Int(payload & 0xFFFF_FFFF)
        case Tag.integer, Tag.unsigned, Tag.double: index + 2
        default: index + 1
        }
    }
}

extension JSONValue {
    /// A member of an object.
    @frozen
    public struct Member {
        public let name: JSONText
        public let value: JSONValue

        @inlinable
        init(name: JSONText, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The members of an object in the order of the text.
    @frozen
    public struct Members: Sequence, IteratorProtocol {
        @usableFromInline var position: JSONValue
        @usableFromInline let end: Int

        @inlinable
        init(container: JSONValue) {
            end = container.indexAfter - 1
            position = JSONValue(
                tape: container.tape, strings: container.strings, index: container.index + 1)
        }

        @inlinable
        public mutating func next() -> Member? {
            guard position.index < end, let name = position.text else { return nil }
            let value = JSONValue(
                tape: position.tape, strings: position.strings, index: position.index + 1)
            position = JSONValue(
                tape: value.tape, strings: value.strings, index: value.indexAfter)
            return Member(name: name, value: value)
        }
    }

    /// The elements of an array.
    @frozen
    public struct Elements: Sequence, IteratorProtocol {
        @usableFromInline var position: JSONValue
        @usableFromInline let end: Int

        @inlinable
        init(container: JSONValue) {
            end = container.indexAfter - 1
            position = JSONValue(
                tape: container.tape, strings: container.strings, index: container.index + 1)
        }

        @inlinable
        public mutating func next() -> JSONValue? {
            guard position.index < end else { return nil }
            let value = position
            position = JSONValue(
                tape: value.tape, strings: value.strings, index: value.indexAfter)
            return value
        }
    }
}
