import RetryClient
import Support
import SystemKit
import Testing

@testable import RetryExec

@Suite struct RuntimeDirectoryTests {
    private let directory: TemporaryDirectory
    private var path: String { "\(directory.path)/run" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func state(_ id: Int64) -> AttemptState {
        AttemptState(
            id: id, token: 3, runner: ProcessIdentity(process: 1, startTicks: 2),
            command: CommandPayload(["true"]), isIdempotent: nil, memoryKills: nil)
    }

    private func write(_ name: String, _ content: String) throws {
        try Files.writeAtomically("\(path)/\(name)", Array(content.utf8), mode: 0o600)
    }

    @Test func givesBackWhatItKept() throws {
        let runtime = try RuntimeDirectory(path)
        #expect(try Files.status(path)?.mode == 0o700)
        try runtime.save(state(7))
        try runtime.save(state(8))
        #expect(try Files.status("\(path)/7.3.run")?.mode == 0o600)
        #expect(try runtime.leftAttempts() == [state(7), state(8)])
        try runtime.remove(runtime.files(id: 7, token: 3))
        #expect(try runtime.leftAttempts() == [state(8)])
    }

    @Test func readsResultsAndMarks() throws {
        let runtime = try RuntimeDirectory(path)
        let files = runtime.files(id: 7, token: 3)
        #expect(runtime.result(of: files) == nil)
        #expect(runtime.command(of: files) == nil)
        try write("7.3.result", "exited 3\ntimed-out 0\nran-ms 5\nstderr 2 2\nhi")
        try write("7.3.command", "99 1234\n")
        #expect(
            runtime.result(of: files)
                == RunnerResult(
                    end: .exited(code: 3), timedOut: false, ranMs: 5,
                    errorTail: Array("hi".utf8)))
        #expect(
            runtime.command(of: files) == ProcessIdentity(process: 99, startTicks: 1_234))
        try write("7.3.command", "99")
        #expect(runtime.command(of: files) == nil)
    }

    @Test func removesWhatBelongsToNoAttempt() throws {
        let runtime = try RuntimeDirectory(path)
        try runtime.save(state(7))
        for name in ["7.3.result", "7.3.command", "8.1.result", "7.3.result.new", "9.1.run"] {
            try write(name, "?")
        }
        #expect(try runtime.leftAttempts() == [state(7)])
        #expect(
            try Files.list(path) == ["7.3.command", "7.3.result", "7.3.run", "lock"])
    }

    @Test func belongsToOneAtATime() throws {
        let first = try RuntimeDirectory(path)
        #expect(throws: RuntimeDirectoryError.self) { _ = try RuntimeDirectory(path) }
        _ = consume first
        _ = try RuntimeDirectory(path)
    }
}
