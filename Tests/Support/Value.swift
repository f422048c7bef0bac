package import JSON

/// A JSON value on its own, for tests to look into and compare.
package enum Value: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([Value])
    case object([String: Value])

    package init(_ value: JSONValue) {
        switch value.kind {
        case .object:
            let members = value.members.map(Array.init) ?? []
            self = .object(
                Dictionary(
                    members.map { ($0.name.string, Value($0.value)) },
                    uniquingKeysWith: { _, last in last }))
        case .array: self = .array((value.elements.map(Array.init) ?? []).map(Value.init))
        case .string: self = .string(value.string ?? "")
        case .integer, .unsigned, .double:
            self = value.integer.map(Value.integer) ?? .double(value.double ?? .nan)
        case .bool: self = .bool(value.bool ?? false)
        case .null: self = .null
        }
    }

    /// A member of an object; null where there is none.
    package subscript(name: String) -> Value {
        guard case .object(let members) = self else { return .null }
        return members[name] ?? .null
    }

    /// An element of an array; null where there is none.
    package subscript(index: Int) -> Value {
        guard case .array(let elements) = self, elements.indices.contains(index) else {
            return .null
        }
        return elements[index]
    }

    package var elements: [Value] {
        if case .array(let elements) = self { elements } else { [] }
    }

    package var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    package var integer: Int64? {
        if case .integer(let integer) = self { integer } else { nil }
    }

    /// An integer or a number with a point.
    package var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .double(let double): double
        case .null, .bool, .string, .array, .object: nil
        }
    }

    package var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    package var names: Set<String> {
        if case .object(let members) = self { Set(members.keys) } else { [] }
    }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: Value...) { self = .array(elements) }

    package init(dictionaryLiteral elements: (String, Value)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}

extension Value {
    package func write(into writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let bool): writer.bool(bool)
        case .integer(let integer): writer.integer(integer)
        case .double(let double): writer.double(double)
        case .string(let string): writer.string(string)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(into: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                writer.name(name)
                value.write(into: &writer)
            }
            writer.endObject()
        }
    }

    /// The text of the value, members in the order of their names.
    package var text: String {
        var writer = JSONWriter()
        write(into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
