import SystemKit
import Testing

@Suite struct ChildProcessTests {
    /// What a program writes to standard output, and how it ends.
    private func run(
        _ arguments: [String], variables: [(name: String, value: String?)] = [],
        input: ChildProcess.Stream = .null
    ) throws -> (output: String, end: ProcessEnd) {
        let pipe = try Pipe()
        let child = try ChildProcess.start(
            arguments, variables: variables, input: input,
            output: .descriptor(pipe.writer.rawValue))
        #expect(try Syscalls.wait(for: child.fileDescriptor, .readable, timeoutMs: 10_000))
        let end = child.wait()
        try Syscalls.setNonBlocking(pipe.reader.rawValue)
        var output: [UInt8] = []
        try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
            while case .count(let count) = try Syscalls.read(pipe.reader.rawValue, into: buffer) {
                output += buffer[..<count]
            }
        }
        return (String(decoding: output, as: UTF8.self), end)
    }

    @Test func tellsHowAProgramEnded() throws {
        #expect(try run(["true"]).end == .exited(code: 0))
        #expect(try run(["sh", "-c", "exit 255"]).end == .exited(code: 255))
        #expect(
            try run(["sh", "-c", "kill -TERM $$"]).end == .killed(.terminate, coreDumped: false))
    }

    @Test func passesArgumentsAsTheyAre() throws {
        let output = try run(["printf", "[%s]", "a b", "", "$x", "ä*"]).output
        #expect(output == "[a b][][$x][ä*]")
    }

    @Test func givesStandardInput() throws {
        let file = try MemoryFile.make(named: "input", Array("from memory".utf8))
        let output = try run(["cat"], input: .descriptor(file.rawValue)).output
        #expect(output == "from memory")
        #expect(try run(["cat"]).output == "")
    }

    @Test func changesTheEnvironment() throws {
        let output = try run(
            ["sh", "-c", "echo $A,${HOME-none},${PATH:+path}"],
            variables: [("A", "1=2"), ("HOME", nil)]
        ).output
        #expect(output == "1=2,none,path\n")
        #expect(Environment.value("A") == nil)
    }

    @Test func signalsAreNotBlockedInIt() throws {
        ProcessSignal.block([.user1])
        defer { ProcessSignal.unblock([.user1]) }
        let end = try run(["sh", "-c", "kill -USR1 $$; exit 3"]).end
        #expect(end == .killed(.user1, coreDumped: false))
    }

    @Test func canBeSignalled() throws {
        let child = try ChildProcess.start(["sleep", "60"], input: .null)
        child.send(.kill)
        #expect(child.wait() == .killed(.kill, coreDumped: false))
    }

    @Test func saysWhyAProgramCannotBeRun() throws {
        do {
            let child = try ChildProcess.start(["no-such-program-here"])
            _ = child.wait()
            Issue.record("there is no such program")
        } catch {
            #expect(error.isNotFound)
            #expect(error.description == "run no-such-program-here: No such file or directory")
        }
        do {
            let child = try ChildProcess.start(["/dev/null"])
            _ = child.wait()
            Issue.record("/dev/null can't be run")
        } catch {
            #expect(error.isPermission)
        }
    }
}
