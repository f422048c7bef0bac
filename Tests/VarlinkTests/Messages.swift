import JSON
import Varlink

/// Feeds bytes to a splitter in pieces as a connection does, and collects what comes out.
func split(
    _ stream: [UInt8], pieces: [Int], frameBytesMax: Int = 1 << 16, readBytesMax: Int = 4_096
) throws -> [[UInt8]] {
    var splitter = FrameSplitter(frameBytesMax: frameBytesMax, readBytesMax: readBytesMax)
    var frames: [[UInt8]] = []
    var position = 0
    var piece = 0
    while position < stream.count {
        let space = splitter.freeSpace()
        let wanted = pieces.isEmpty ? stream.count : pieces[piece % pieces.count]
        piece += 1
        let count = min(wanted, space.count, stream.count - position)
        space.copyBytes(from: stream[position..<(position + count)])
        splitter.filled(count)
        position += count
        while let frame = try splitter.next() { frames.append(Array(frame)) }
    }
    return frames
}

/// What was written, each NUL shown as `|`.
func shown(_ writer: JSONWriter) -> String {
    String(decoding: writer.bytes.map { $0 == 0 ? UInt8(ascii: "|") : $0 }, as: UTF8.self)
}

/// A small generator with a printed seed, so that a failing run can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
