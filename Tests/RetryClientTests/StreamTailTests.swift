import RetryClient
import Testing

@Suite struct StreamTailTests {
    private func tail(_ pieces: [[UInt8]], bytesMax: Int) -> [UInt8] {
        var tail = StreamTail(bytesMax: bytesMax)
        for piece in pieces { piece.withUnsafeBytes { tail.append($0) } }
        return tail.tail
    }

    @Test func keepsTheEnd() {
        #expect(tail([], bytesMax: 4) == [])
        #expect(tail([[1, 2], [3]], bytesMax: 4) == [1, 2, 3])
        #expect(tail([[1, 2], [3], [4, 5]], bytesMax: 4) == [2, 3, 4, 5])
        #expect(tail([[1, 2, 3, 4, 5, 6, 7, 8, 9]], bytesMax: 4) == [6, 7, 8, 9])
        #expect(tail((1...50).map { [$0] }, bytesMax: 4) == [47, 48, 49, 50])
    }

    @Test func doesNotBeginInsideACharacter() {
        // "aä€" is 61 C3A4 E282AC.
        let text = Array("aä€".utf8)
        #expect(tail([text], bytesMax: 6) == text)
        #expect(tail([text], bytesMax: 5) == Array("ä€".utf8))
        #expect(tail([text], bytesMax: 4) == Array("€".utf8))
        #expect(tail([text], bytesMax: 2) == [])
        // Not text at all: only what could be the rest of one character goes.
        #expect(tail([[UInt8](repeating: 0x80, count: 9)], bytesMax: 5) == [0x80, 0x80])
    }
}
