import RetryCLI
import Support
import SystemKit
import Testing

@Suite struct WorkCommandTests {
    /// Lease gives what was asked for once, then nothing; Report takes everything.
    private func daemon(
        _ operations: [String], report: FakePeer.Answer = .reply(WorkCommandTests.reported)
    ) throws -> Daemon {
        try Daemon { request in
            let isFirst = request.number == 0
            let leased = #"{"operations":[\#(isFirst ? operations.joined(separator: ",") : "")]}"#
            switch request.method {
            case "io.retryd.Lease":
                return request.more ? [.continues(leased)] : [.reply(leased)]
            case "io.retryd.Extend": return [.reply(#"{"until_usec":1}"#)]
            default: return [report]
            }
        }
    }

    private static let reported =
        #"{"id":1,"state":"succeeded","duplicate":false,"operations":[]}"#

    private func lease(_ id: Int64, payload: String = "\"hello\"") -> String {
        Replies.leased(id: id, token: 5, payload: payload)
    }

    @Test func oneOperation() throws {
        let daemon = try daemon([lease(4)])
        let file = "\(daemon.path)/out"
        let tool = daemon.run(
            "work", "mail", "--once", "--", "sh", "-c",
            "cat >\(file); echo \" $RETRYD_OPERATION $RETRYD_ATTEMPT $RETRYD_QUEUE $RETRYD_KEY\" "
                + ">>\(file)")
        #expect(tool.code == 0)
        let written = try Files.readAll(file, bytesMax: 100)
        #expect(String(decoding: written, as: UTF8.self) == "hello 4 2 mail k4\n")
        #expect(daemon.requests.map(\.method) == ["io.retryd.Lease", "io.retryd.Report"])
        #expect(daemon.requests[0].parameters == #"{"queues":["mail"],"max":1,"wait_ms":3600000}"#)
        #expect(
            daemon.requests[1].parameters == #"{"id":4,"token":5,"outcome":"succeeded"}"#)
    }

    @Test func theExitCodeIsTheReport() throws {
        let daemon = try daemon([lease(4)])
        let tool = daemon.run("work", "mail", "--once", "--", "sh", "-c", "exit 9")
        #expect(tool.code == 9)
        #expect(
            daemon.requests[1].parameters
                == #"{"id":4,"token":5,"outcome":"failed","failure":{"process":{"program":"sh","#
                + #""args":["-c","exit 9"],"exit_code":9}}}"#)
    }

    @Test func severalAtATimeUntilNothingComes() throws {
        let daemon = try daemon([lease(1), lease(2), lease(3, payload: #"{"a":[1]}"#)])
        let tool = daemon.run(
            "work", "mail", "--max", "2", "--idle-exit", "200ms", "--", "sh", "-c",
            "cat >>\(daemon.path)/$RETRYD_OPERATION")
        #expect(tool.code == 0)
        #expect(daemon.requests.filter { $0.method == "io.retryd.Report" }.count == 3)
        #expect(daemon.requests[0].parameters == #"{"queues":["mail"],"max":2}"#)
        let payload = try Files.readAll("\(daemon.path)/3", bytesMax: 100)
        #expect(payload == Array(#"{"a":[1]}"#.utf8))
    }

    @Test func aCommandThatCannotBeRunCostsNoAttempt() throws {
        let daemon = try daemon([lease(4)])
        let tool = daemon.run("work", "mail", "--once", "--", "no-such-program-here")
        #expect(tool.code == 127)
        #expect(daemon.requests[1].method == "io.retryd.Release")
        #expect(daemon.requests[1].parameters == #"{"id":4,"token":5}"#)
    }

    @Test func aLostLeaseStopsTheCommand() throws {
        let stale = FakePeer.Answer.error("io.retryd.StaleLease", #"{"id":4,"state":"ready"}"#)
        let leased = Replies.leased(id: 4, untilUsec: 1)
        let daemon = try Daemon { request in
            request.method == "io.retryd.Lease"
                ? [.reply(#"{"operations":[\#(leased)]}"#)] : [stale]
        }
        let begunUsec = Clocks.monotonicUsec()
        let tool = daemon.run("work", "mail", "--once", "--", "sleep", "30")
        #expect(Clocks.monotonicUsec() - begunUsec < 10_000_000)
        #expect(tool.messages.contains("no longer the newest one"))
        // It is told once, and nothing is reported.
        #expect(daemon.requests.map(\.method) == ["io.retryd.Lease", "io.retryd.Extend"])
    }

    @Test func aReportIsKeptWhileTheStoreFails() throws {
        let daemon = try Daemon { request in
            switch request.method {
            case "io.retryd.Lease":
                return [.reply(#"{"operations":[\#(Replies.leased(id: 4))]}"#)]
            default:
                return request.number < 3
                    ? [.error("io.retryd.StoreUnavailable", #"{"reason":"full"}"#)]
                    : [.reply(WorkCommandTests.reported)]
            }
        }
        let tool = daemon.run("work", "mail", "--once", "--", "true")
        #expect(tool.code == 0)
        #expect(daemon.requests.map(\.method).filter { $0 == "io.retryd.Report" }.count == 3)
    }

    @Test func nothingToDo() throws {
        let daemon = try daemon([])
        #expect(daemon.run("work", "q", "--once", "--idle-exit", "10ms", "--", "true").code == 0)
        #expect(daemon.requests[0].parameters.contains(#""wait_ms":10"#))
        #expect(daemon.run("work", "q", "--once", "--max", "2", "--", "true").code == 64)
    }

    @Test func aRefusalEndsIt() throws {
        let daemon = try Daemon { _ in
            [.error("io.retryd.PermissionDenied", #"{"reason":"not a worker of q"}"#)]
        }
        let tool = daemon.run("work", "q", "--", "true")
        #expect(tool.code == 77)
        #expect(tool.messages.contains("not a worker of q"))
    }
}
