import RetryCLI
import Support
import Testing

@Suite struct CallCommandTests {
    private static let interface =
        "# The interface.\ninterface io.retryd\n\n# Looks.\nmethod Get(id: int) -> (x: int)\n"

    private func daemon() throws -> Daemon {
        try Daemon { request in
            switch request.method {
            case "org.varlink.service.GetInterfaceDescription":
                let text = CallCommandTests.interface.split(
                    separator: "\n", omittingEmptySubsequences: false
                ).joined(separator: "\\n")
                return [.reply(#"{"description":"\#(text)"}"#)]
            case "io.retryd.Get": return [.reply(#"{"got":\#(request.parameters)}"#)]
            case "io.retryd.Watch":
                return [.continues(#"{"n":1}"#), .reply(#"{"n":2}"#)]
            case "io.retryd.Empty": return [.bytes(Array("{}\0".utf8))]
            default:
                return [
                    .error(
                        "org.varlink.service.MethodNotFound", #"{"method":"\#(request.method)"}"#)
                ]
            }
        }
    }

    @Test func callsAMethod() throws {
        let daemon = try daemon()
        let tool = daemon.run("call", "Get", #" { "id" : 7 } "#, "--json=short")
        #expect(tool.output == #"{"got":{"id":7}}"# + "\n")
        #expect(tool.code == 0)
        #expect(daemon.run("call", "io.retryd.Get").output == "{\n  \"got\": {}\n}\n")
        #expect(daemon.run("call", "Empty", "--json=short").output == "{}\n")
    }

    @Test func takesSeveralAnswersOrNone() throws {
        let daemon = try daemon()
        let tool = daemon.run("call", "--more", "Watch", "--json=short")
        #expect(tool.outputLines == ["{\"n\":1}", "{\"n\":2}"])
        #expect(daemon.run("call", "--oneway", "Get").output == "")
        #expect(daemon.run("call", "--oneway", "--more", "Get").code == 64)
    }

    @Test func listsTheMethods() throws {
        #expect(
            try daemon().run("call").output == "# Looks.\nmethod Get(id: int) -> (x: int)\n")
    }

    @Test func saysWhatWasMeant() throws {
        let tool = try daemon().run("call", "Gett", "--json=short")
        #expect(tool.code == 1)
        #expect(
            tool.output
                == #"{"error":"org.varlink.service.MethodNotFound","#
                + #""parameters":{"method":"io.retryd.Gett"}}"# + "\n")
        #expect(
            tool.messages
                == "retryctl: the service has no method io.retryd.Gett; "
                + "did you mean io.retryd.Get?\n")
    }

    @Test(arguments: ["nonsense", "[]", "17", "{\"a\":"])
    func refusesWhatIsNoObject(json: String) throws {
        let daemon = try daemon()
        let tool = daemon.run("call", "Get", json)
        #expect(tool.code == 65)
        #expect(tool.messages.hasPrefix("retryctl: JSON: "))
        #expect(daemon.requests.isEmpty)
    }
}
