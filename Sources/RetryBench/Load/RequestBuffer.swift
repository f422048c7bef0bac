import SystemKit

/// Requests that go out together.
struct RequestBuffer: ~Copyable {
    private let memory: UnsafeMutableRawPointer
    private var count = 0

    /// More than 64 of the longest requests.
    private static let capacity = 256 * 1024

    init() {
        memory = .allocate(byteCount: Self.capacity, alignment: 64)
    }

    deinit {
        memory.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        precondition(count + bytes.count <= Self.capacity, "too many requests at once")
        if let source = bytes.baseAddress {
            (memory + count).copyMemory(from: source, byteCount: bytes.count)
        }
        count += bytes.count
    }

    mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    mutating func append(_ literal: StaticString) {
        append(
            UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    mutating func append(decimal value: Int64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = value.magnitude
            var first = 20
            repeat {
                first -= 1
                digits[first] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            append(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: digits[first...])))
        }
    }

    /// Sends everything over a blocking socket.
    mutating func send(_ socket: Int32) throws(BenchError) {
        var sent = 0
        while sent < count {
            let rest = UnsafeRawBufferPointer(start: memory + sent, count: count - sent)
            do {
                guard case .count(let part) = try Syscalls.send(socket, from: rest) else {
                    preconditionFailure("a blocking socket takes something")
                }
                sent += part
            } catch {
                throw .system(error)
            }
        }
        count = 0
    }
}
