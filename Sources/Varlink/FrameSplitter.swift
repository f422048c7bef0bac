private import JSON

/// Why a stream can't be cut into messages any further.
@frozen
package enum FrameError: Error, Equatable, Sendable {
    /// A message is longer than the limit, which is in bytes.
    case tooLong(bytesMax: Int)
}

extension FrameError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLong(let bytesMax): "message longer than \(bytesMax) bytes"
        }
    }
}

/// Cuts a byte stream into the messages of the Varlink protocol, each of which ends with a NUL
/// (UAPI.20, "Framing").
///
/// The splitter owns the input buffer. Its owner reads into `freeSpace()`, says how much arrived
/// with `filled(_:)` and takes messages with `next()` until there is none. Messages are handed out
/// where they lie, with `JSONParser.padding` readable bytes behind them, so that nothing is copied
/// and nothing is allocated for a message.
package struct FrameSplitter: ~Copyable {
    /// Least free space offered, so that a nearly full buffer does not end in tiny reads.
    private static let spaceMin = 2_048
    /// What a connection that says little costs.
    private static let capacityFirst = 4_096

    /// Longest message taken, in bytes, the NUL not counted.
    package let frameBytesMax: Int
    /// What the buffer grows to by a busy connection, and shrinks back to after a long message.
    private let capacityUsual: Int
    private let capacityMax: Int

    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    /// First byte not handed out yet.
    private var start = 0
    /// First byte not looked at yet: the search for a NUL does not start over with each read.
    private var scanned = 0
    /// Behind the last byte that arrived.
    private var end = 0
    /// The last read took all there was room for; more is probably waiting.
    private var wasFilledUp = false

    /// - Parameters:
    ///   - frameBytesMax: Longest message taken.
    ///   - readBytesMax: Most bytes taken from the stream at once while messages are short.
    package init(frameBytesMax: Int, readBytesMax: Int) {
        precondition(frameBytesMax > 0 && readBytesMax > 0, "limits of a FrameSplitter")
        self.frameBytesMax = frameBytesMax
        capacityMax = frameBytesMax + 1 + FrameSplitter.spaceMin
        capacityUsual = min(max(readBytesMax, FrameSplitter.spaceMin), capacityMax)
        capacity = min(FrameSplitter.capacityFirst, capacityUsual)
        memory = FrameSplitter.allocate(capacity)
    }

    deinit {
        memory.deallocate()
    }

    /// Bytes of an unfinished message. Not zero at the end of the stream: it was cut off.
    package var heldBytes: Int { end - start }

    /// Room for the next read, at least 2 KiB. Messages handed out before are no longer valid.
    ///
    /// Only when `next()` has said that there is no message left, which bounds what is held.
    package mutating func freeSpace() -> UnsafeMutableRawBufferPointer {
        makeRoom()
        return UnsafeMutableRawBufferPointer(start: memory + end, count: capacity - end)
    }

    /// So many bytes were put into the free space.
    package mutating func filled(_ count: Int) {
        precondition(count >= 0 && count <= capacity - end, "more read than there was room for")
        end += count
        wasFilledUp = end == capacity
    }

    /// The next whole message without its NUL, nil when more must be read first.
    ///
    /// Valid until the next `freeSpace()`. After an error the stream is of no use any more.
    package mutating func next() throws(FrameError) -> UnsafeRawBufferPointer? {
        guard let terminator = indexOfNUL() else {
            scanned = end
            if end - start > frameBytesMax { throw .tooLong(bytesMax: frameBytesMax) }
            return nil
        }
        let frame = UnsafeRawBufferPointer(start: memory + start, count: terminator - start)
        start = terminator + 1
        scanned = start
        if frame.count > frameBytesMax { throw .tooLong(bytesMax: frameBytesMax) }
        return frame
    }

    // MARK: The buffer

    /// Moves what is held to the front only when at least as many bytes were handed out before it,
    /// or once for a message of half the limit: each byte is moved O(1) times on average.
    private mutating func makeRoom() {
        let held = end - start
        if held == 0 {
            start = 0
            scanned = 0
            end = 0
            if capacity > capacityUsual { replaceMemory(capacityUsual) }
        }
        if wasFilledUp, capacity < capacityUsual {
            replaceMemory(min(2 * capacity, capacityUsual))
        }
        wasFilledUp = false
        guard capacity - end < FrameSplitter.spaceMin else { return }
        precondition(held <= frameBytesMax, "read before next() was nil")
        let capacityNeeded = min(2 * held + FrameSplitter.spaceMin, capacityMax)
        replaceMemory(max(capacity, capacityNeeded))
    }

    /// Moves what is held to the front of a buffer of that capacity.
    private mutating func replaceMemory(_ capacityNew: Int) {
        let held = end - start
        if capacityNew == capacity {
            memory.copyMemory(from: memory + start, byteCount: held)
        } else {
            let memoryNew = FrameSplitter.allocate(capacityNew)
            memoryNew.copyMemory(from: memory + start, byteCount: held)
            memory.deallocate()
            memory = memoryNew
            capacity = capacityNew
        }
        scanned -= start
        start = 0
        end = held
    }

    private static func allocate(_ capacity: Int) -> UnsafeMutableRawPointer {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: capacity + JSONParser.padding, alignment: 64)
        // The parser reads the padding; let it be defined.
        (memory + capacity).initializeMemory(
            as: UInt8.self, repeating: 0, count: JSONParser.padding)
        return memory
    }

    /// Eight bytes at a time, four such words while there are: a byte is zero when subtracting one
    /// borrows into its top bit and the bit was not set before.
    private func indexOfNUL() -> Int? {
        var index = scanned
        while index + 32 <= end {
            let zeros =
                zeroBytes(at: index) | zeroBytes(at: index + 8)
                | zeroBytes(at: index + 16) | zeroBytes(at: index + 24)
            if zeros != 0 { break }
            index += 32
        }
        while index + 8 <= end {
            let zeros = zeroBytes(at: index)
            if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < end {
            if memory.load(fromByteOffset: index, as: UInt8.self) == 0 { return index }
            index += 1
        }
        return nil
    }

    /// The top bit of the lowest zero byte, and perhaps of higher bytes; 0 when none is zero.
    @inline(__always)
    private func zeroBytes(at index: Int) -> UInt64 {
        let loaded = memory.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let word = UInt64(littleEndian: loaded)
        return (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }
}
