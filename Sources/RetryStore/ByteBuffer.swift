/// Bytes that are appended to and used again: after the first few rounds it allocates nothing.
@usableFromInline
struct ByteBuffer: Sendable {
    /// Initialized in full; the first `count` bytes are in use. It has one owner at any time, so
    /// writing to it does not copy.
    private var storage: [UInt8] = []
    @usableFromInline
    private(set) var count = 0

    /// Memory kept for the next round; one huge batch should not hold its memory for ever.
    private static let keptBytesMax = 4 << 20

    var isEmpty: Bool { count == 0 }

    /// Appends `length` bytes, which `fill` must write in full.
    mutating func append(length: Int, _ fill: (UnsafeMutableRawPointer) -> Void) {
        if storage.count - count < length { grow(by: length) }
        let start = count
        storage.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            fill(base + start)
        }
        count += length
    }

    mutating func append<Value: FixedWidthInteger>(_ value: Value) {
        append(length: MemoryLayout<Value>.size) { base in
            base.storeBytes(of: value.littleEndian, as: Value.self)
        }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        append(length: bytes.count) { base in
            base.copyMemory(from: source, byteCount: bytes.count)
        }
    }

    /// Appends a length of four bytes and the text in UTF-8.
    mutating func append(text: String) {
        var text = text
        text.withUTF8 { bytes in
            append(UInt32(bytes.count))
            append(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Appends whether there is a text, then the text.
    mutating func append(optionalText: String?) {
        append(UInt8(optionalText == nil ? 0 : 1))
        if let optionalText { append(text: optionalText) }
    }

    /// Puts an integer over bytes written earlier.
    mutating func overwrite<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
        precondition(offset >= 0 && offset + MemoryLayout<Value>.size <= count)
        storage.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
        }
    }

    mutating func removeAll() {
        count = 0
        if storage.count > ByteBuffer.keptBytesMax { storage = [] }
    }

    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.span.withUnsafeBytes { (bytes) throws(Failure) in
            try body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
    }

    private mutating func grow(by length: Int) {
        let size = max(4_096, storage.count * 2, count + length)
        var larger = [UInt8](repeating: 0, count: size)
        larger.withUnsafeMutableBytes { larger in
            storage.withUnsafeBytes { bytes in
                larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
        }
        storage = larger
    }
}
