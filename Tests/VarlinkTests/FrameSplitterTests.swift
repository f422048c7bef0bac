import JSON
import Testing
import Varlink

@Suite struct FrameSplitterTests {
    private let stream = Array("{\"a\":1}\0\0{\"method\":\"x.Y\",\"more\":true}\0{}\0".utf8)
    private let frames = ["{\"a\":1}", "", "{\"method\":\"x.Y\",\"more\":true}", "{}"]

    @Test func splitsAtEveryOffset() throws {
        for offset in 1..<stream.count {
            let found = try split(stream, pieces: [offset, stream.count - offset])
            #expect(found.map { String(decoding: $0, as: UTF8.self) } == frames, "at \(offset)")
        }
    }

    @Test func splitsByteByByte() throws {
        let found = try split(stream, pieces: [1])
        #expect(found.map { String(decoding: $0, as: UTF8.self) } == frames)
    }

    @Test func keepsAnUnfinishedMessage() throws {
        var splitter = FrameSplitter(frameBytesMax: 100, readBytesMax: 100)
        let half = Array("{\"a\"".utf8)
        splitter.freeSpace().copyBytes(from: half)
        splitter.filled(half.count)
        #expect(try splitter.next() == nil)
        #expect(splitter.heldBytes == 4)
    }

    @Test func findsNULAtEveryAlignment() throws {
        for length in 0..<40 {
            let stream = [UInt8](repeating: 0x80, count: length) + [0, 1, 0]
            let found = try split(stream, pieces: [])
            #expect(found == [[UInt8](repeating: 0x80, count: length), [1]])
        }
    }

    @Test func takesAMessageOfTheLimitAndNoLongerOne() throws {
        for frameBytesMax in [1, 100, 5_000, 70_000] {
            let fits = [UInt8](repeating: 0x61, count: frameBytesMax)
            let found = try split(fits + [0] + fits + [0], pieces: [], frameBytesMax: frameBytesMax)
            #expect(found.map(\.count) == [frameBytesMax, frameBytesMax])
            #expect(throws: FrameError.tooLong(bytesMax: frameBytesMax)) {
                try split(fits + [0x61, 0], pieces: [], frameBytesMax: frameBytesMax)
            }
            // Without its end too, as soon as it is too long.
            #expect(throws: FrameError.tooLong(bytesMax: frameBytesMax)) {
                try split(fits + [0x61], pieces: [], frameBytesMax: frameBytesMax)
            }
        }
    }

    @Test func neverHoldsMoreThanItsLimits() throws {
        var splitter = FrameSplitter(frameBytesMax: 10_000, readBytesMax: 4_096)
        #expect(splitter.freeSpace().count == 4_096)
        var largest = 0
        for _ in 0..<5 {
            let space = splitter.freeSpace()
            largest = max(largest, space.count)
            let count = min(space.count, 2_000)
            space.initializeMemory(as: UInt8.self, repeating: 0x61)
            splitter.filled(count)
            #expect(try splitter.next() == nil)
        }
        #expect(splitter.heldBytes == 10_000)
        #expect(splitter.freeSpace().count >= 1)
        #expect(largest <= 12_049)
    }

    @Test func shrinksAfterALongMessage() throws {
        var splitter = FrameSplitter(frameBytesMax: 100_000, readBytesMax: 8_192)
        var sent = 0
        while sent < 100_000 {
            let space = splitter.freeSpace()
            let count = min(space.count, 100_000 - sent)
            UnsafeMutableRawBufferPointer(rebasing: space[..<count])
                .initializeMemory(as: UInt8.self, repeating: 0x61)
            splitter.filled(count)
            sent += count
            #expect(try splitter.next() == nil)
        }
        let space = splitter.freeSpace()
        space[0] = 0
        splitter.filled(1)
        #expect(try splitter.next()?.count == 100_000)
        #expect(splitter.freeSpace().count == 8_192)
    }

    @Test func offersMoreToABusyConnection() throws {
        var splitter = FrameSplitter(frameBytesMax: 1 << 20, readBytesMax: 65_536)
        var offered: [Int] = []
        for _ in 0..<6 {
            let space = splitter.freeSpace()
            offered.append(space.count)
            space.initializeMemory(as: UInt8.self, repeating: 0)
            splitter.filled(space.count)
            while try splitter.next() != nil {}
        }
        #expect(offered == [4_096, 8_192, 16_384, 32_768, 65_536, 65_536])
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func splitsRandomStreams(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        var stream: [UInt8] = []
        var frames: [[UInt8]] = []
        for _ in 0..<200 {
            let isLong = Int.random(in: 0..<20, using: &generator) == 0
            let length = Int.random(in: 0...(isLong ? 60_000 : 600), using: &generator)
            frames.append((0..<length).map { _ in UInt8.random(in: 1...255, using: &generator) })
            stream += frames[frames.count - 1] + [0]
        }
        let pieces = (0..<50).map { _ in Int.random(in: 1...9_000, using: &generator) }
        #expect(try split(stream, pieces: pieces) == frames, "seed \(seed)")
    }

    @Test func messagesParseWhereTheyLie() throws {
        var splitter = FrameSplitter(frameBytesMax: 1_000, readBytesMax: 1_000)
        let parser = JSONParser(lengthMax: 1_000, depthMax: 8)
        let stream = Array("{\"n\":1}\0{\"n\":22}\0{\"n\":\"three".utf8)
        splitter.freeSpace().copyBytes(from: stream)
        splitter.filled(stream.count)
        var numbers: [Int64?] = []
        while let frame = try splitter.next() {
            numbers.append(try parser.parse(padded: frame)["n"]?.integer)
        }
        #expect(numbers == [1, 22])
    }
}
