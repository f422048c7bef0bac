import RetryClient
import Testing

@testable import RetryCLI

@Suite struct OperationOptionsTests {
    @Test(
        arguments: [
            ("1", [1]), ("1,7,20-23", [1, 7, 20, 21, 22, 23]), ("255", [255]), ("5-5", [5]),
        ] as [(String, [Int32])])
    func readsExitCodes(text: String, codes: [Int32]) throws {
        #expect(try CommandOptions.exitCodes(text) == codes)
    }

    @Test(arguments: ["", "0", "256", "1,", "a", "5-3", "1-2-3", "-1", "1 2"])
    func refusesOtherCodes(text: String) {
        let failure = #expect(throws: CommandFailure.self) {
            try CommandOptions.exitCodes(text)
        }
        #expect(failure?.code == .usage)
    }

    @Test func keepsAListedPartOfTheEnvironment() throws {
        let all: [String?] = [
            "PATH=/bin", "SECRET=x", "LC_ALL=C", "HOME=/h=h", nil, "TOKEN=y", "ODD", "=x",
        ]
        let kept = try CommandOptions.environment([], all)
        #expect(kept.map(\.name) == ["PATH", "LC_ALL", "HOME"])
        #expect(kept[2].value == "/h=h")
        #expect(try CommandOptions.environment(["TOKEN"], all).map(\.name).contains("TOKEN"))
        let failure = #expect(throws: CommandFailure.self) {
            try CommandOptions.environment(["MISSING"], all)
        }
        #expect(failure?.message.hasPrefix("--env MISSING:") == true)
    }

    @Test func readsHeaders() throws {
        let headers = try FailureOptions.headers(["A: b: c", "X:  y", "a:d"])
        #expect(headers.map(\.name) == ["A", "X"])
        #expect(headers.map(\.value) == ["b: c, d", "y"])
    }
}
