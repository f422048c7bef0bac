import RetryClient
import Support
import SystemKit
import Testing

/// Commands of others. Only root can become them.
@Suite(.enabled(if: Credentials.effectiveUser == 0, "needs root"))
struct ExecutorStartTests {
    private static let whoAmI = "id -u; id -g; id -G; echo $HOME $USER $LOGNAME $SHELL; pwd"

    @Test func aCommandRunsAsItsOwnerWithItsGroups() throws {
        let bench = try Bench()
        let nobody = try #require(try UserDatabase.user(id: 65_534))
        let groups = try UserDatabase.groups(ofUser: nobody.name, mainGroup: nobody.group)
        let id = try bench.submit(
            ["sh", "-c", "(\(ExecutorStartTests.whoAmI)) >who"], asUser: 65_534, group: 1)
        try bench.wait(for: id, toBe: "succeeded")
        #expect(
            bench.file("who").split(separator: "\n").map(String.init) == [
                "65534", "\(nobody.group)", groups.map { "\($0)" }.joined(separator: " "),
                "\(nobody.home) \(nobody.name) \(nobody.name) \(nobody.shell)",
                bench.directory.path,
            ])
        #expect(try Files.status("\(bench.directory.path)/who")?.user == 65_534)
    }

    @Test func aUserWithoutAnEntryHasItsNumbersOnly() throws {
        let bench = try Bench()
        let id = try bench.submit(
            ["sh", "-c", "(\(ExecutorStartTests.whoAmI); env | grep ^USER=) >who; true"],
            asUser: 4_242, group: 4_243)
        try bench.wait(for: id, toBe: "succeeded")
        #expect(
            bench.file("who").split(separator: "\n").map(String.init) == [
                "4242", "4243", "4243", "/ /bin/sh", bench.directory.path,
            ])
    }

    @Test func theDirectoryIsEnteredAsTheOwner() throws {
        let bench = try Bench()
        let closed = "\(bench.directory.path)/closed"
        try Files.makeDirectory(closed, mode: 0o700)
        let id = try bench.submit(
            ["true"], asUser: 4_242, group: 4_242, directory: closed)
        let failure = try bench.failure(of: bench.wait(for: id, toBe: "dead"))
        #expect(failure["errno"]["name"] == "EACCES")
        #expect(failure["errno"]["syscall"] == "chdir")
        #expect(failure["process"]["exit_code"] == 126)
    }

    @Test func oneThatIsNotRootsLeavesOthersAlone() throws {
        let bench = try Bench()
        bench.exec.kill()
        let mine = try bench.submit(["sh", "-c", "id -u >>log"], asUser: 4_242, group: 4_242)
        let root = try bench.submit(["sh", "-c", "id -u >>log"])
        try bench.wait(for: root, toBe: "ready")
        let runtime = try TemporaryDirectory(mode: 0o777)
        let exec = try RunningProgram(
            [
                "setpriv", "--reuid=4242", "--regid=4242", "--clear-groups",
                BuiltProgram.path("retryd-exec"), "--socket", bench.daemon.socket, "--runtime",
                "\(runtime.path)/own",
            ], logPath: "\(bench.daemon.directory.path)/other.log")
        try bench.wait(for: mine, toBe: "succeeded")
        #expect(bench.file("log") == "4242\n")
        #expect(try bench.client.get(root).operation.state == "ready")
        #expect(exec.terminate() == .exited(code: 0))
        #expect(exec.log == "")
    }
}
