import Support
import Testing

@Suite struct ExitCodeTests {
    @Test(arguments: [
        ("io.retryd.PermissionDenied", #"{"reason":"r"}"#, 77, "not permitted: r"),
        ("io.retryd.StoreUnavailable", #"{"reason":"r"}"#, 75, "the store can't be written"),
        ("io.retryd.QuotaExceeded", #"{"limit":"l","reason":"r"}"#, 1, "limit l reached: r"),
        ("io.retryd.WrongState", #"{"id":1,"state":"dead","reason":"r"}"#, 1, "1 is dead: r"),
        (
            "org.varlink.service.InvalidParameter", #"{"parameter":"p","reason":"r"}"#, 64,
            "parameter \"p\": r"
        ),
        ("org.example.Odd", #"{"x":1}"#, 1, #"org.example.Odd {"x":1}"#),
        ("io.retryd.PermissionDenied", #"{"reason":"\u001b[2J"}"#, 77, "\\u{1b}[2J"),
    ])
    func errorsHaveTheirCodes(
        name: String, parameters: String, code: Int32, message: String
    ) throws {
        let daemon = try Daemon { _ in [.error(name, parameters)] }
        let tool = daemon.run("cancel", "1")
        #expect(tool.code == code)
        #expect(tool.messages.contains(message), "\(tool.messages)")
    }

    @Test func withoutDaemonTheRemedyIsTold() {
        let tool = Tool(["cancel", "1", "2"])
        #expect(tool.code == 69)
        #expect(tool.output == "")
        // Once, not for each operation.
        #expect(tool.messages.split(separator: "\n").count == 1)
        #expect(tool.messages.contains("no retryd at /nonexistent/socket"))
        #expect(tool.messages.contains("systemctl start retryd.socket"))
    }
}
