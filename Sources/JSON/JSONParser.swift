private import CSimdJSON

/// Why a text is not a JSON document this parser takes.
public struct JSONError: Error, Equatable, Sendable {
    /// simdjson's own sentence, e.g. that a string is not valid UTF-8.
    public var message: String

    public init(message: String) {
        self.message = message
    }
}

extension JSONError: CustomStringConvertible {
    public var description: String { message }
}

/// A reusable JSON parser over simdjson.
///
/// One parser holds one document: a value it returned is valid until the next `parse` or the end
/// of the parser, whichever comes first. Copy what must live longer.
public final class JSONParser {
    /// Bytes that must be readable behind a text parsed in place.
    public static var padding: Int { CSimdJSON_padding }

    private let parser: OpaquePointer

    /// - Parameters:
    ///   - lengthMax: Longest text taken, in bytes.
    ///   - depthMax: Deepest nesting of objects and arrays taken.
    public init(lengthMax: Int, depthMax: Int) {
        guard let parser = CSimdJSON_create(lengthMax, depthMax) else {
            fatalError("no memory for a JSON parser")
        }
        self.parser = parser
    }

    deinit {
        CSimdJSON_destroy(parser)
    }

    /// Parses a text where it lies.
    ///
    /// `JSONParser.padding` bytes behind it must be readable; their content does not matter.
    public func parse(padded text: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
        try parse(text, padded: true)
    }

    /// Parses a text after copying it.
    public func parse(_ text: [UInt8]) throws(JSONError) -> JSONValue {
        let parsed = text.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try parse(bytes, padded: false) }
        }
        return try parsed.get()
    }

    private func parse(
        _ text: UnsafeRawBufferPointer, padded: Bool
    ) throws(JSONError) -> JSONValue {
        guard let base = text.baseAddress else { throw JSONError(message: "Empty: no JSON found") }
        let error = CSimdJSON_parse(
            parser, base.assumingMemoryBound(to: UInt8.self), text.count, padded)
        guard error == 0 else {
            throw JSONError(message: String(cString: CSimdJSON_message(error)))
        }
        // Word 0 is the root, the document's value begins at word 1 (simdjson doc/tape.md).
        return JSONValue(tape: CSimdJSON_tape(parser), strings: CSimdJSON_strings(parser), index: 1)
    }
}
