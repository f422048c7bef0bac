import Glibc
import Support
import SystemKit
import Testing

/// Command line, exit codes, and what is said when it cannot begin.
@Suite struct ExecTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func run(_ arguments: String...) throws -> (end: ProcessEnd, log: String) {
        let program = try RunningProgram(
            [BuiltProgram.path("retryd-exec")] + arguments, logPath: "\(directory.path)/log")
        let end = program.wait()
        return (end, program.log)
    }

    @Test func helpAndVersion() throws {
        let help = try run("--help")
        #expect(help.end == .exited(code: 0))
        #expect(help.log.contains("--runtime DIR"))
        #expect(try run("--version").log.hasSuffix("retryd-exec 1.0\n"))
    }

    @Test func aWrongCommandLine() throws {
        let wrong = try run("--frobnicate")
        #expect(wrong.end == .exited(code: 64))
        #expect(
            wrong.log
                == "<3>retryd-exec: unknown argument --frobnicate; see retryd-exec --help\n")
    }

    @Test func noDaemon() throws {
        let socket = "\(directory.path)/socket"
        let wrong = try run("--socket", socket)
        #expect(wrong.end == .exited(code: 69))
        #expect(wrong.log.hasPrefix("<3>retryd-exec: no retryd at \(socket): "))
        #expect(wrong.log.contains("systemctl start retryd"))
        // Nothing is made beside a socket that is not there.
        #expect(try Files.list(directory.path) == ["log"])
    }

    @Test func aRuntimeDirectoryThatCannotBeMade() throws {
        let daemon = try PrivateDaemon.started()
        let wrong = try run(
            "--socket", daemon.socket, "--runtime", "\(directory.path)/missing/here")
        #expect(wrong.end == .exited(code: 73))
        #expect(
            wrong.log
                == "<3>retryd-exec: runtime directory \(directory.path)/missing/here: "
                + "No such file or directory; name another one with --runtime\n")
    }

    @Test func aRuntimeDirectoryOthersMayWriteInto() throws {
        let daemon = try PrivateDaemon.started()
        let open = "\(directory.path)/open"
        try Files.makeDirectory(open, mode: 0o777)
        let wrong = try run("--socket", daemon.socket, "--runtime", open)
        #expect(wrong.end == .exited(code: 73))
        #expect(wrong.log.contains("nobody else may write into"))
    }

    @Test func aRuntimeDirectoryThatIsTaken() throws {
        let bench = try Bench()
        try bench.wait(for: bench.submit(["true"]), toBe: "succeeded")
        let wrong = try run("--socket", bench.daemon.socket)
        #expect(wrong.end == .exited(code: 73))
        #expect(
            wrong.log
                == "<3>retryd-exec: runtime directory \(bench.runtime): process "
                + "\(bench.exec.processID) uses it; stop that retryd-exec or name another "
                + "directory with --runtime\n")
    }

    @Test(.enabled(if: Credentials.effectiveUser == 0, "needs root"))
    func aSocketThatKeepsItOut() throws {
        let daemon = try PrivateDaemon.started()
        try #require(chmod(daemon.directory.path, 0o700) == 0)
        let program = try RunningProgram(
            [
                "setpriv", "--reuid=4242", "--regid=4242", "--clear-groups",
                BuiltProgram.path("retryd-exec"), "--socket", daemon.socket,
            ], logPath: "\(directory.path)/log")
        #expect(program.wait() == .exited(code: 77))
        #expect(program.log.hasPrefix("<3>retryd-exec: no access to \(daemon.socket): "))
    }
}
