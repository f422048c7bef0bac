import Testing

@testable import RetryStore

@Suite
struct ByteBufferTests {
    @Test
    func integersAreLittleEndian() {
        var buffer = ByteBuffer()
        buffer.append(UInt8(1))
        buffer.append(UInt16(0x0203))
        buffer.append(Int32(-2))
        buffer.append(UInt64(0x0405_0607_0809_0a0b))
        #expect(buffer.withBytes { $0.hex } == "01" + "0302" + "feffffff" + "0b0a090807060504")
        #expect(buffer.count == 15)
    }

    @Test
    func textsComeBack() throws {
        var buffer = ByteBuffer()
        buffer.append(text: "")
        buffer.append(optionalText: nil)
        buffer.append(optionalText: "h\u{e9}")
        try buffer.withBytes { bytes throws in
            var reader = ByteReader(bytes)
            #expect(try reader.text().isEmpty)
            #expect(try reader.optionalText() == nil)
            let text = try #require(try reader.optionalText())
            #expect(String(decoding: text, as: UTF8.self) == "h\u{e9}")
            #expect(reader.isAtEnd)
        }
    }

    @Test
    func growingKeepsWhatIsThere() {
        var buffer = ByteBuffer()
        for value in 0..<UInt32(100_000) { buffer.append(value) }
        #expect(buffer.count == 400_000)
        let sum = buffer.withBytes { bytes in
            stride(from: 0, to: bytes.count, by: 4).reduce(0) { sum, offset in
                sum + Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            }
        }
        #expect(sum == 99_999 * 50_000)
    }

    @Test
    func removingAllLeavesNothing() {
        var buffer = ByteBuffer()
        buffer.append(UInt64.max)
        buffer.removeAll()
        #expect(buffer.isEmpty)
        #expect(buffer.withBytes { $0.count } == 0)
        buffer.append(UInt8(3))
        #expect(buffer.withBytes { Array($0) } == [3])
    }

    @Test
    func readingPastTheEndIsRefused() {
        var buffer = ByteBuffer()
        buffer.append(UInt32(5))
        buffer.withBytes { bytes in
            var reader = ByteReader(bytes)
            #expect(throws: ByteReader.Malformed.self) { try reader.integer(UInt64.self) }
            #expect(throws: ByteReader.Malformed.self) { try reader.text() }
            var negative = ByteReader(bytes)
            #expect(throws: ByteReader.Malformed.self) { try negative.bytes(-1) }
        }
    }
}
