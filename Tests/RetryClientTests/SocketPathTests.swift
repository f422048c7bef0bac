import Testing

@testable import RetryClient

@Suite struct SocketPathTests {
    private let nothing: (String) -> String? = { _ in nil }

    @Test func theHostsServiceHasAFixedPath() throws {
        #expect(try SocketPath.find(.system, environment: nothing) == "/run/retryd/io.retryd")
    }

    @Test func theUsersServiceIsInTheRuntimeDirectory() throws {
        let environment = { $0 == "XDG_RUNTIME_DIR" ? "/run/user/1000" : nil as String? }
        #expect(
            try SocketPath.find(.user, environment: environment)
                == "/run/user/1000/retryd/io.retryd")
        let error = #expect(throws: ClientError.self) {
            try SocketPath.find(.user, environment: nothing)
        }
        #expect(error?.code == .noRuntimeDirectory)
    }

    @Test func theEnvironmentNamesAnother() throws {
        let environment = { $0 == "RETRYD_SOCKET" ? "/tmp/x" : nil as String? }
        #expect(try SocketPath.find(.system, environment: environment) == "/tmp/x")
        #expect(try SocketPath.find(.user, environment: environment) == "/tmp/x")
        #expect(
            try SocketPath.path(of: .system, environment: environment) == "/run/retryd/io.retryd")
        let empty = { $0 == "RETRYD_SOCKET" ? "" : nil as String? }
        #expect(try SocketPath.find(.system, environment: empty) == "/run/retryd/io.retryd")
    }
}
