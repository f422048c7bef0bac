import JSON
import RetryClient
import Testing

@testable import RetryExec

@Suite struct UnitAttemptTests {
    private func attempt(_ members: String) throws -> UnitAttempt {
        let text = #"""
            {"id":5,"token":1,"attempt":3,"recoveries":0,"queue":"unit","kind":"unit",
            "owner_uid":0,"owner_gid":0,"scope":"user:0","priority":0,"tags":[],
            "visibility_usec":1\#(members)}
            """#
        let parser = JSONParser(lengthMax: 4_096, depthMax: 8)
        return UnitAttempt(try LeasedOperation(parser.parse(Array(text.utf8))), unit: "a.service")
    }

    @Test(arguments: [
        (#","reset_after_ms":1500"#, 1_500_007),
        // A daemon that does not tell it: ten minutes.
        ("", 600_000_007),
        // Without end: never, and no overflow.
        (#","reset_after_ms":9223372036854775807"#, Int64.max),
    ])
    func aServiceHasSucceededAfterTheResetAfterOfItsPolicy(
        members: String, expected: Int64
    ) throws {
        #expect(try attempt(members).provenUsec(from: 7) == expected)
    }

    @Test func systemdIsAskedAgainAlsoWhileACallIsOut() throws {
        let attempt = try attempt("")
        attempt.extendAtUsec = 50
        #expect(attempt.nextUsec == 50)
        attempt.lookAtUsec = 20
        #expect(attempt.nextUsec == 20)
        attempt.callIsOut = true
        #expect(attempt.nextUsec == 20)
        attempt.lookAtUsec = nil
        #expect(attempt.nextUsec == .max)
        attempt.phase = .ended
        attempt.callIsOut = false
        attempt.reportAtUsec = 70
        #expect(attempt.nextUsec == 70)
    }
}
