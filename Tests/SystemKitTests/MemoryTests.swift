import Testing

@testable import SystemKit

struct MemoryTests {
    /// In a process of its own: other tests would be counted too.
    @Test func residentBytesFollowTheUseOfMemory() async {
        await #expect(processExitsWith: .success) {
            Memory.useFewArenas()
            let before = try Memory.residentBytes()
            let size = 64 << 20
            let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 4_096)
            block.initializeMemory(as: UInt8.self, repeating: 1, count: size)
            let grown = try Memory.residentBytes() - before
            precondition(before > 1 << 20)
            precondition(grown >= 64 << 20 && grown < 80 << 20, "grew by \(grown)")
            block.deallocate()
        }
    }
}
