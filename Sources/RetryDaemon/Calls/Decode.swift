import JSON
import RetryModel
import Varlink

/// Reads one parameter at a time; what does not fit is refused by its name.
///
/// A null means the same as an absent member (UAPI.20, "Nullable Types").
enum Decode {
    static func unknown(_ member: JSONValue.Member) -> ServiceError {
        .invalidParameter(member.name.string, reason: "no such parameter")
    }

    static func missing(_ name: String) -> ServiceError {
        .invalidParameter(name, reason: "it is needed")
    }

    static func text(
        _ member: JSONValue.Member, bytesMax: Int = Limits.nameBytesMax
    ) throws(ServiceError) -> JSONText? {
        if member.value.isNull { return nil }
        guard let text = member.value.text else { throw wrong(member, "a string is needed") }
        guard text.count <= bytesMax else {
            throw wrong(member, "longer than \(bytesMax) bytes")
        }
        return text
    }

    /// A name people see: not empty, no control characters.
    static func name(_ member: JSONValue.Member) throws(ServiceError) -> String? {
        try nameText(member)?.string
    }

    /// The same as a view on the call.
    static func nameText(_ member: JSONValue.Member) throws(ServiceError) -> JSONText? {
        guard let text = try text(member) else { return nil }
        guard text.count > 0 else { throw wrong(member, "it is empty") }
        guard !hasControlCharacters(text.bytes) else {
            throw wrong(member, "it holds control characters")
        }
        return text
    }

    /// What deduplicates operations. An empty one would be hard to tell from none.
    static func key(_ member: JSONValue.Member) throws(ServiceError) -> JSONText? {
        guard let text = try text(member, bytesMax: Limits.keyBytesMax) else { return nil }
        guard text.count > 0 else { throw wrong(member, "it is empty") }
        guard !hasControlCharacters(text.bytes) else {
            throw wrong(member, "it holds control characters")
        }
        return text
    }

    /// Words people see, each as a name.
    static func names(_ member: JSONValue.Member, countMax: Int) throws(ServiceError) {
        _ = try strings(member, countMax: countMax)
        guard let elements = member.value.elements else { return }
        for element in elements {
            guard let text = element.text, text.count > 0 else {
                throw wrong(member, "one of them is empty")
            }
            guard !hasControlCharacters(text.bytes) else {
                throw wrong(member, "one of them holds control characters")
            }
        }
    }

    /// The characters of Unicode's category Cc, in UTF-8: U+0000 to U+001F, U+007F, and U+0080 to
    /// U+009F, which some terminals obey as well.
    private static func hasControlCharacters(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in bytes {
            if byte < 0x20 || byte == 0x7F { return true }
            if previous == 0xC2, byte < 0xA0 { return true }
            previous = byte
        }
        return false
    }

    static func integer(
        _ member: JSONValue.Member, _ range: ClosedRange<Int64>
    ) throws(ServiceError) -> Int64? {
        if member.value.isNull { return nil }
        guard let number = member.value.integer else {
            throw wrong(member, "a whole number is needed")
        }
        guard range.contains(number) else {
            throw wrong(member, "from \(range.lowerBound) to \(range.upperBound), not \(number)")
        }
        return number
    }

    static func bool(_ member: JSONValue.Member) throws(ServiceError) -> Bool? {
        if member.value.isNull { return nil }
        guard let bool = member.value.bool else { throw wrong(member, "true or false is needed") }
        return bool
    }

    static func object(_ member: JSONValue.Member) throws(ServiceError) -> JSONValue? {
        if member.value.isNull { return nil }
        guard member.value.kind == .object else { throw wrong(member, "an object is needed") }
        return member.value
    }

    static func array(_ member: JSONValue.Member) throws(ServiceError) -> JSONValue? {
        if member.value.isNull { return nil }
        guard member.value.kind == .array else { throw wrong(member, "an array is needed") }
        return member.value
    }

    static func span(
        _ member: JSONValue.Member, _ range: ClosedRange<Span>
    ) throws(ServiceError) -> Span? {
        let milliseconds = range.lowerBound.millisecondsUp...range.upperBound.millisecondsUp
        return try integer(member, milliseconds).map { .milliseconds($0) }
    }

    /// Instants on the wire: microseconds since the epoch, up to the year 9999.
    static func wallTime(_ member: JSONValue.Member) throws(ServiceError) -> WallTime? {
        try integer(member, 0...253_402_300_799_999_999).map { WallTime(usec: $0) }
    }

    static func operationID(_ member: JSONValue.Member) throws(ServiceError) -> OperationID? {
        try integer(member, 1...Int64.max).map { OperationID(rawValue: $0) }
    }

    static func leaseToken(_ member: JSONValue.Member) throws(ServiceError) -> LeaseToken? {
        try integer(member, 0...Int64(UInt32.max)).map { LeaseToken(rawValue: UInt32($0)) }
    }

    /// One of the words of an enumeration.
    static func word<Value: CaseIterable>(
        _ member: JSONValue.Member, _ type: Value.Type, named name: (Value) -> StaticString
    ) throws(ServiceError) -> Value? {
        guard let text = try text(member) else { return nil }
        for value in Value.allCases where text == name(value) { return value }
        let words = Value.allCases.map { "\(name($0))" }.joined(separator: ", ")
        throw wrong(member, "one of \(words) is needed")
    }

    static func strings(
        _ member: JSONValue.Member, countMax: Int
    ) throws(ServiceError) -> [String]? {
        guard let array = try array(member), let elements = array.elements else { return nil }
        var strings: [String] = []
        for element in elements {
            guard let text = element.text, text.count <= Limits.nameBytesMax else {
                throw wrong(
                    member, "an array of strings of at most \(Limits.nameBytesMax) bytes is needed")
            }
            strings.append(text.string)
        }
        guard strings.count <= countMax else { throw wrong(member, "more than \(countMax)") }
        return strings
    }

    static func wrong(_ member: JSONValue.Member, _ reason: String) -> ServiceError {
        .invalidParameter(member.name.string, reason: reason)
    }
}

extension Call {
    /// The parameters, or none.
    var members: Parameters { Parameters(members: parameters?.members) }

    struct Parameters: Sequence, IteratorProtocol {
        fileprivate var members: JSONValue.Members?

        mutating func next() -> JSONValue.Member? { members?.next() }
    }
}
