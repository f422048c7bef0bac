import Glibc
import Testing

@testable import SystemKit

struct OwnedFDTests {
    /// A pipe ends for its reader when the last descriptor of its writing end is closed.
    @Test func isClosedWithItsOwner() throws {
        let (reader, writer) = try pipeEnds()
        defer { close(reader) }
        do {
            let owner = OwnedFD(adopting: writer)
            #expect(owner.rawValue == writer)
            #expect(try !Syscalls.wait(for: reader, .readable, timeoutMs: 0))
        }
        var byte: UInt8 = 0
        #expect(read(reader, &byte, 1) == 0)
    }

    @Test func releasedStaysOpen() throws {
        let (reader, writer) = try pipeEnds()
        defer { close(reader) }
        let released = OwnedFD(adopting: writer).release()
        #expect(released == writer)
        try write("x", to: released)
        var byte: UInt8 = 0
        #expect(read(reader, &byte, 1) == 1)
        close(released)
        #expect(read(reader, &byte, 1) == 0)
    }

    @Test func twoOwnersTrap() async {
        await #expect(processExitsWith: .failure) {
            let pipe = try Pipe()
            let second = OwnedFD(adopting: pipe.reader.rawValue)
            _ = consume second
        }
    }
}
