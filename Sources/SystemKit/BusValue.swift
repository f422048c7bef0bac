import CSystemd

/// A value of a D-Bus message, with what tells signed from unsigned and paths from texts left out.
package indirect enum BusValue: Hashable, Sendable {
    /// A string, object path or signature.
    case text(String)
    case bool(Bool)
    /// Any whole number; one above Int64.max is that.
    case integer(Int64)
    case real(Double)
    /// An array, or a structure.
    case list([BusValue])
    /// An array of dictionary entries.
    case dictionary([BusValue: BusValue])

    package var text: String? { if case .text(let text) = self { text } else { nil } }

    package var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }

    package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

    package var list: [BusValue]? { if case .list(let list) = self { list } else { nil } }

    /// An entry of a dictionary.
    package subscript(key: String) -> BusValue? {
        if case .dictionary(let entries) = self { entries[.text(key)] } else { nil }
    }

    /// What a message carries. What cannot be read ends the list: the kernel's pipe to a bus that
    /// sends broken messages is closed by sd-bus itself.
    static func all(in message: OpaquePointer?) -> [BusValue] {
        guard let message else { return [] }
        var values: [BusValue] = []
        while let value = next(in: message) { values.append(value) }
        return values
    }

    /// - Returns: nil at the end of the container.
    private static func next(in message: OpaquePointer) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard sd_bus_message_peek_type(message, &type, &contents) > 0 else { return nil }
        switch UInt8(bitPattern: type) {
        case UInt8(ascii: "a"):
            return inside(message, type, contents) { array(of: contents, in: message) }
        case UInt8(ascii: "v"):
            return inside(message, type, contents) { next(in: message) ?? .list([]) }
        case UInt8(ascii: "r"), UInt8(ascii: "e"):
            return inside(message, type, contents) { .list(all(in: message)) }
        case let basic:
            return self.basic(basic, in: message)
        }
    }

    private static func inside(
        _ message: OpaquePointer, _ type: CChar, _ contents: UnsafePointer<CChar>?,
        _ body: () -> BusValue
    ) -> BusValue? {
        guard sd_bus_message_enter_container(message, type, contents) > 0 else { return nil }
        let value = body()
        return sd_bus_message_exit_container(message) >= 0 ? value : nil
    }

    private static func array(
        of contents: UnsafePointer<CChar>?, in message: OpaquePointer
    ) -> BusValue {
        let elements = all(in: message)
        guard contents?.pointee == CChar(UInt8(ascii: "{")) else { return .list(elements) }
        var entries: [BusValue: BusValue] = [:]
        for element in elements {
            if let pair = element.list, pair.count == 2 { entries[pair[0]] = pair[1] }
        }
        return .dictionary(entries)
    }

    private static func basic(_ type: UInt8, in message: OpaquePointer) -> BusValue? {
        func read<Value>(_ initial: Value) -> Value? {
            var value = initial
            let result = withUnsafeMutableBytes(of: &value) { bytes in
                sd_bus_message_read_basic(
                    message, CChar(bitPattern: type), bytes.baseAddress)
            }
            return result > 0 ? value : nil
        }
        switch type {
        case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"):
            // sd-bus gives a pointer into the message.
            guard let text = read(nil as UnsafePointer<CChar>?) else { return nil }
            return text.map { .text(String(cString: $0)) }
        case UInt8(ascii: "b"): return read(0 as Int32).map { .bool($0 != 0) }
        case UInt8(ascii: "y"): return read(0 as UInt8).map { .integer(Int64($0)) }
        case UInt8(ascii: "n"): return read(0 as Int16).map { .integer(Int64($0)) }
        case UInt8(ascii: "q"): return read(0 as UInt16).map { .integer(Int64($0)) }
        case UInt8(ascii: "i"): return read(0 as Int32).map { .integer(Int64($0)) }
        case UInt8(ascii: "u"): return read(0 as UInt32).map { .integer(Int64($0)) }
        case UInt8(ascii: "x"): return read(0 as Int64).map { .integer($0) }
        case UInt8(ascii: "t"): return read(0 as UInt64).map { .integer(Int64(clamping: $0)) }
        case UInt8(ascii: "d"): return read(0 as Double).map { .real($0) }
        case UInt8(ascii: "h"): return read(0 as Int32).map { .integer(Int64($0)) }
        case _: return nil
        }
    }
}
