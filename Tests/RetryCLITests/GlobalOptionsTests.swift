import Testing

@testable import RetryCLI

@Suite struct GlobalOptionsTests {
    private func arguments(_ options: [String: [String]]) -> ParsedArguments {
        var arguments = ParsedArguments()
        arguments.options = options
        return arguments
    }

    @Test func aNamedSocketIsMeant() throws {
        let path = try GlobalOptions.socketPath(arguments(["socket": ["/x"], "user": [""]]))
        #expect(path == "/x")
    }

    @Test func aNamedServiceIsMeant() throws {
        let path = try GlobalOptions.socketPath(arguments(["system": [""]]))
        #expect(path == "/run/retryd/io.retryd")
    }

    @Test func bothServicesAreNot() {
        let failure = #expect(throws: CommandFailure.self) {
            try GlobalOptions.socketPath(arguments(["system": [""], "user": [""]]))
        }
        #expect(failure?.code == .usage)
    }
}
