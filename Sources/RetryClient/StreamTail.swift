/// Keeps the end of a stream.
public struct StreamTail: Sendable {
    private let bytesMax: Int
    private var bytes: [UInt8] = []
    private var isCut = false

    public init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    public mutating func append(_ new: UnsafeRawBufferPointer) {
        // Twice the size at most, so that the front is cut off rarely.
        if bytes.count + min(new.count, bytesMax) > 2 * bytesMax {
            bytes.removeFirst(bytes.count - bytesMax)
            isCut = true
        }
        isCut = isCut || new.count > bytesMax
        bytes.append(contentsOf: new.suffix(bytesMax))
    }

    /// The end, not beginning inside a character.
    public var tail: [UInt8] {
        let end = bytes.suffix(bytesMax)
        guard isCut || end.count < bytes.count else { return Array(end) }
        // UTF-8: bytes 10xxxxxx continue a character, at most three of them.
        let continued = min(3, end.prefix { $0 & 0xC0 == 0x80 }.count)
        return Array(end.dropFirst(continued))
    }
}
