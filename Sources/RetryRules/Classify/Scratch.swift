import JSON
import RetryModel

/// Memory for bodies that come as text: parsed JSON and decoded forms. Nothing is allocated until
/// the first such body.
final class Scratch {
    /// Longer bodies are plain text: nobody sends an error document of that size.
    static let bodyBytesMax = Limits.failureBytesMax

    private var bytes: UnsafeMutableRawBufferPointer?
    private var used = 0
    private var parser: JSONParser?

    deinit {
        bytes?.deallocate()
    }

    func reset() {
        used = 0
    }

    /// Parses a JSON text that lies inside a document; nil where it is none.
    func parsed(_ text: UnsafeBufferPointer<UInt8>) -> JSONValue? {
        guard text.count <= Self.bodyBytesMax else { return nil }
        let memory = storage()
        guard let target = memory.baseAddress else { return nil }
        target.copyMemory(
            from: UnsafeRawPointer(text.baseAddress ?? Fact.nowhere), byteCount: text.count)
        let parser =
            self.parser
            ?? JSONParser(
                lengthMax: Self.bodyBytesMax, depthMax: Limits.failureDepthMax)
        self.parser = parser
        let copy = UnsafeRawBufferPointer(start: target, count: text.count)
        return try? parser.parse(padded: copy)
    }

    /// A text of a form (`application/x-www-form-urlencoded`) decoded; nil when space is short or
    /// the text is not UTF-8 when decoded.
    func decoded(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        let memory = storage()
        guard used + text.count <= Self.bodyBytesMax else { return nil }
        let target = UnsafeMutableBufferPointer(
            rebasing: memory.bindMemory(to: UInt8.self)[used..<used + text.count])
        var count = 0
        var index = 0
        while index < text.count {
            var byte = text[index]
            index += 1
            if byte == 0x2B {
                byte = 0x20
            } else if byte == 0x25, index + 1 < text.count,
                let high = hexValue(text[index]), let low = hexValue(text[index + 1])
            {
                byte = high << 4 | low
                index += 2
            }
            target[count] = byte
            count += 1
        }
        used += count
        let decoded = UnsafeBufferPointer(rebasing: target[..<count])
        return String(validating: decoded, as: UTF8.self) == nil ? nil : decoded
    }

    private func storage() -> UnsafeMutableRawBufferPointer {
        if let bytes { return bytes }
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.bodyBytesMax + JSONParser.padding, alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        self.bytes = bytes
        return bytes
    }

    private func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        case _: nil
        }
    }
}
