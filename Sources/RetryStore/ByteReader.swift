/// Reads the little-endian forms that `ByteBuffer` writes. Bytes come from a disk: every read
/// looks whether there is enough left.
struct ByteReader {
    private(set) var rest: UnsafeRawBufferPointer

    /// The bytes end before the value does, or a value is not one of its type's.
    struct Malformed: Error {}

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func integer<Value: FixedWidthInteger>(
        _ type: Value.Type = Value.self
    ) throws(Malformed) -> Value {
        let size = MemoryLayout<Value>.size
        guard rest.count >= size else { throw Malformed() }
        let value = Value(littleEndian: rest.loadUnaligned(as: Value.self))
        rest = UnsafeRawBufferPointer(rebasing: rest[size...])
        return value
    }

    mutating func bytes(_ count: Int) throws(Malformed) -> UnsafeRawBufferPointer {
        guard count >= 0, rest.count >= count else { throw Malformed() }
        let bytes = UnsafeRawBufferPointer(rebasing: rest[..<count])
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        return bytes
    }

    /// A length of four bytes and so many bytes.
    mutating func text() throws(Malformed) -> UnsafeRawBufferPointer {
        try bytes(Int(integer(UInt32.self)))
    }

    mutating func optionalText() throws(Malformed) -> UnsafeRawBufferPointer? {
        try integer(UInt8.self) == 0 ? nil : text()
    }
}
