import SystemKit
import Testing

@Suite struct MemoryFileTests {
    @Test func holdsItsContentFromTheBeginning() throws {
        let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        let file = try MemoryFile.make(named: "test", content)
        #expect(try Files.readAll(file.rawValue, bytesMax: 200_000, name: "test") == content)
        let empty = try MemoryFile.make(named: "test", [])
        #expect(try Files.readAll(empty.rawValue, bytesMax: 10, name: "test") == [])
    }
}
