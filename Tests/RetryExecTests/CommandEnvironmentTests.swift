import JSON
import RetryClient
import SystemKit
import Testing

@testable import RetryExec

@Suite struct CommandEnvironmentTests {
    private func operation() throws -> LeasedOperation {
        let text = #"""
            {"id":5,"token":1,"attempt":3,"recoveries":1,"queue":"command","kind":"command",
            "owner_uid":1000,"owner_gid":1000,"scope":"user:1000","priority":0,"tags":[],
            "destination":"api.example","visibility_usec":1}
            """#
        let parser = JSONParser(lengthMax: 4_096, depthMax: 8)
        return try LeasedOperation(parser.parse(Array(text.utf8)))
    }

    @Test func theOwnersComesAfterTheBaseAndBeforeTheFacts() throws {
        var account = try CommandAccount(owner: 0, group: 0, mayBecomeOthers: false)
        account.name = "ann"
        account.home = "/home/ann"
        account.shell = "/bin/bash"
        var command = CommandPayload(["true"])
        command.environment = [
            .init(name: "PATH", value: "/opt/bin"), .init(name: "A", value: "1"),
            .init(name: "RETRYD_ATTEMPT", value: "99"), .init(name: "A", value: "2"),
        ]
        #expect(
            CommandEnvironment.make(for: try operation(), command, account, socket: nil) == [
                "PATH=/opt/bin", "HOME=/home/ann", "USER=ann", "LOGNAME=ann", "SHELL=/bin/bash",
                "A=2", "RETRYD_ATTEMPT=3", "RETRYD_OPERATION=5", "RETRYD_RECOVERIES=1",
                "RETRYD_QUEUE=command", "RETRYD_DESTINATION=api.example",
            ])
    }

    @Test func whoHasNoEntryHasNoName() throws {
        let account = try CommandAccount(owner: 4_242, group: 4_243, mayBecomeOthers: true)
        #expect(account.name == nil)
        #expect(
            account.identity
                == CommandRunner.Identity(user: 4_242, group: 4_243, groups: [4_243]))
        let made = CommandEnvironment.make(
            for: try operation(), CommandPayload(["true"]), account, socket: "/s")
        #expect(
            made.prefix(4) == [
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/",
                "SHELL=/bin/sh", "RETRYD_SOCKET=/s",
            ])
    }
}
