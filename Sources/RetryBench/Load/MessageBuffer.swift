import SystemKit

/// What came in on one connection, cut into messages where it lies.
///
/// Messages are not copied and not parsed: looking for their ends is all that a load generator
/// can afford on the cores it shares with the daemon.
struct MessageBuffer: ~Copyable {
    private let memory: UnsafeMutableRawPointer
    private let capacity: Int
    private let terminator: UInt8
    private var start = 0
    /// First byte not looked at yet.
    private var scanned = 0
    private var end = 0

    /// Larger than the answers to a pipeline of 64.
    private static let bytes = 1 << 20

    init(terminator: UInt8) {
        capacity = Self.bytes
        memory = .allocate(byteCount: capacity, alignment: 64)
        self.terminator = terminator
    }

    deinit {
        memory.deallocate()
    }

    /// Reads what has come, or waits for it. Messages taken before are no longer valid.
    mutating func receive(_ socket: Int32) throws(BenchError) {
        if start > 0 {
            // Little is left over: answers come whole nearly always.
            memory.copyMemory(from: memory + start, byteCount: end - start)
            scanned -= start
            end -= start
            start = 0
        }
        guard end < capacity else { throw .answer("an answer of more than \(capacity) bytes") }
        let space = UnsafeMutableRawBufferPointer(start: memory + end, count: capacity - end)
        do {
            switch try Syscalls.receive(socket, into: space) {
            case .count(let count): end += count
            case .wouldBlock: break
            case .end: throw BenchError.daemon("the daemon closed a connection")
            }
        } catch let error as SystemError {
            throw .system(error)
        } catch let error as BenchError {
            throw error
        } catch {
            preconditionFailure("receive throws two kinds of errors")
        }
    }

    /// The next message without its terminator; nil: more must be read first.
    mutating func next() -> UnsafeRawBufferPointer? {
        guard let found = indexOfTerminator() else {
            scanned = end
            return nil
        }
        let message = UnsafeRawBufferPointer(start: memory + start, count: found - start)
        start = found + 1
        scanned = start
        return message
    }

    /// Eight bytes at a time; see `FrameSplitter` of Varlink for the arithmetic.
    private func indexOfTerminator() -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let pattern = ones &* UInt64(terminator)
        var index = scanned
        while index + 8 <= end {
            let loaded = memory.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let word = UInt64(littleEndian: loaded) ^ pattern
            let zeros = (word &- ones) & ~word & tops
            if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < end {
            if memory.load(fromByteOffset: index, as: UInt8.self) == terminator { return index }
            index += 1
        }
        return nil
    }
}
