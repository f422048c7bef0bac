import Glibc
import Testing

@testable import SystemKit

struct ProcessContextTests {
    @Test func environmentHasWhatWasSet() async {
        await #expect(processExitsWith: .success) {
            setenv("SYSTEMKIT_TEST", "a=b", 1)
            setenv("SYSTEMKIT_EMPTY", "", 1)
            precondition(Environment.value("SYSTEMKIT_TEST") == "a=b")
            precondition(Environment.value("SYSTEMKIT_EMPTY") == "")
            precondition(Environment.value("SYSTEMKIT_NOT_SET") == nil)
        }
    }

    @Test func argumentsStartWithTheProgram() {
        #expect(Arguments.all.first?.isEmpty == false)
    }

    @Test func pipeIsNoTerminal() throws {
        let pipe = try Pipe()
        #expect(!Terminal.isTerminal(pipe.writer.rawValue))
        #expect(Terminal.columns(pipe.writer.rawValue) == nil)
    }

    @Test func terminalTellsItsWidth() throws {
        let terminal = OwnedFD(adopting: open("/dev/ptmx", O_RDWR | O_NOCTTY))
        #expect(Terminal.isTerminal(terminal.rawValue))
        #expect(Terminal.columns(terminal.rawValue) == nil)
        var size = winsize(ws_row: 24, ws_col: 132, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(terminal.rawValue, UInt(TIOCSWINSZ), &size) == 0)
        #expect(Terminal.columns(terminal.rawValue) == 132)
    }

    /// A pipe takes 64 KiB at once, so the rest has to wait for the reader.
    @Test func streamWaitsWhereTheReaderIsSlow() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            try Syscalls.setNonBlocking(StandardStream.output.fileDescriptor)
            try StandardStream.output.write(String(repeating: "x", count: 300_000))
        }
        let content = try #require(result?.standardOutputContent)
        #expect(content.filter { $0 == UInt8(ascii: "x") }.count >= 300_000)
    }

    @Test func closedReaderIsAnError() async {
        await #expect(processExitsWith: .success) {
            ProcessSignal.ignorePipe()
            let (reader, writer) = try pipeEnds()
            close(reader)
            dup2(writer, StandardStream.output.fileDescriptor)
            do throws(SystemError) {
                try StandardStream.output.write("x")
                fatalError("written to nobody")
            } catch {
                precondition(
                    error == SystemError(code: EPIPE, operation: "write to standard output"))
            }
        }
    }
}
