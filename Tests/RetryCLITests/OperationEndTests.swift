import RetryClient
import Testing

@testable import RetryCLI

@Suite struct OperationEndTests {
    @Test(
        arguments: [
            (#"{"process":{"exit_code":7}}"#, 7), (#"{"process":{"signal":"SIGKILL"}}"#, 137),
            (#"{"process":{"signal":"odd"}}"#, nil), (#"{"process":{}}"#, nil), ("{}", nil),
            ("nonsense", nil),
        ] as [(String, Int32?)])
    func findsTheExitCode(failure: String, code: Int32?) {
        #expect(OperationEnd.exitCode(of: RawJSON(Array(failure.utf8))) == code)
    }

    @Test func withoutFailureThereIsNone() {
        #expect(OperationEnd.exitCode(of: nil) == nil)
    }
}
