/// What can still be read of a message that a parser refused: enough to answer it.
///
/// A number beyond 64 bits or too deep a nesting is a fault of one call, not of the stream: the
/// message has its end, and the calls behind it can be read. It is looked through for the
/// members `method` and `oneway` of its outermost object and for nothing else.
package struct CallHead {
    /// The client wants no reply, not even an error.
    package private(set) var oneway = false

    /// Nil when it is not an object with a text `method`, closed at its end: then there is nothing
    /// that could be answered.
    package init?(scanning message: UnsafeRawBufferPointer) {
        var scanner = HeadScanner(message)
        var hasMethod = false
        guard scanner.take("{") else { return nil }
        repeat {
            guard let name = scanner.string(), scanner.take(":") else { return nil }
            scanner.skipSpaces()
            if name.elementsEqual("method".utf8) {
                guard scanner.string() != nil else { return nil }
                hasMethod = true
            } else {
                let value = scanner.skipValue()
                if name.elementsEqual("oneway".utf8) {
                    oneway = value.prefix { $0 > 0x20 }.elementsEqual("true".utf8)
                }
            }
        } while scanner.take(",")
        guard scanner.take("}"), scanner.isAtEnd, hasMethod else { return nil }
    }
}

private struct HeadScanner {
    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool {
        mutating get {
            skipSpaces()
            return index == bytes.count
        }
    }

    mutating func skipSpaces() {
        while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpaces()
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// What stands between quotes, escapes as they are; nil: there is no text.
    mutating func string() -> UnsafeRawBufferPointer? {
        guard take("\"") else { return nil }
        let start = index
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\\"):
                index += 2
            case UInt8(ascii: "\""):
                defer { index += 1 }
                return UnsafeRawBufferPointer(rebasing: bytes[start..<index])
            case _:
                index += 1
            }
        }
        return nil
    }

    /// Goes to the comma or brace behind a value, whatever the value is. Without recursion: it may
    /// nest as deep as the message is long.
    mutating func skipValue() -> Slice<UnsafeRawBufferPointer> {
        let start = index
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                guard string() != nil else { return bytes[start..<bytes.count] }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return bytes[start..<index] }
                depth -= 1
            case UInt8(ascii: ",") where depth == 0:
                return bytes[start..<index]
            case _:
                break
            }
            index += 1
        }
        index = bytes.count
        return bytes[start..<index]
    }
}
