import Support
import Testing

@Suite struct ListCommandTests {
    private static let page = #"""
        {"operations":[\#(Replies.summary(id: 1, key: "k")),\#
        \#(Replies.summary(id: 2, state: "dead", reason: "dead"))],"cursor":2,"own":true}
        """#
    private static let lastPage = #"""
        {"operations":[\#(Replies.summary(id: 3, queue: "a\\u001b[2J"))],"cursor":null,"own":true}
        """#

    private func listing() throws -> Daemon {
        try Daemon { _ in
            [.continues(ListCommandTests.page), .reply(ListCommandTests.lastPage)]
        }
    }

    @Test func listsOneObjectALine() throws {
        let daemon = try listing()
        let tool = daemon.run("list", "--json=short")
        #expect(tool.code == 0)
        #expect(tool.outputLines.count == 3)
        #expect(tool.outputLines[0] == Replies.summary(id: 1, key: "k"))
        #expect(tool.outputLines[2].hasPrefix(#"{"id":3,"key":null,"queue":"a\u001b[2J","#))
        #expect(tool.messages == "")
        #expect(daemon.requests.map(\.method) == ["io.retryd.List"])
        #expect(daemon.requests[0].more)
    }

    @Test func listsATable() throws {
        let tool = try listing().run("list")
        #expect(
            tool.outputLines[0].split(separator: " ")
                == ["ID", "QUEUE", "KEY", "STATE", "REASON", "WHEN", "TRIES", "RULE"])
        #expect(tool.outputLines[1].hasPrefix(" 1  mail"))
        #expect(tool.outputLines[2].contains("dead"))
        // What others chose does not reach the terminal as it is.
        #expect(tool.outputLines[3].contains("a\\u{1b}[2J"))
        #expect(!tool.output.contains("\u{1B}"))
        #expect(tool.messages == "3 operations; only your own are shown.\n")
        #expect(try listing().run("list", "--no-legend").messages == "")
        #expect(try listing().run("list", "-q").messages == "")
    }

    @Test func filters() throws {
        let daemon = try listing()
        let tool = daemon.run(
            "list", "--queue=mail", "--state", "held,ready", "--state", "dead", "--owner", "0",
            "--rule", "r", "--limit", "1", "--json=short")
        #expect(tool.outputLines.count == 1)
        #expect(
            daemon.requests[0].parameters
                == #"{"filter":{"queue":"mail","state":["held","ready","dead"],"owner_uid":0,"#
                + #""rule":"r"},"limit":1}"#)
        #expect(daemon.run("list", "--live").code == 0)
        #expect(daemon.requests[1].parameters.contains(#""scheduled","held","ready","leased""#))
        #expect(daemon.run("list", "--state", "hled").messages.contains("did you mean held?"))
        #expect(daemon.run("list", "--owner", "no-such-user-here").code == 64)
        #expect(daemon.run("list", "--limit", "0").code == 64)
    }
}
