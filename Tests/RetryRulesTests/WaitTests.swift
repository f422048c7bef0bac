import RetryModel
import RetryRules
import Testing

/// Every form of a wait, one documented behaviour each. All failures were received at noon.
@Suite struct WaitTests {
    private let judge = Judge()

    private func retryAfter(_ value: String) throws -> Double? {
        try judge.wait(
            """
            {"received_at":"2026-03-01T12:00:00Z","request":{"method":"GET"},
            "http":{"status":503,"headers":{"Retry-After":\(value)}}}
            """)
    }

    @Test(
        arguments: [
            (#""120""#, 120), ("120", 120), (#""  7  ""#, 7),
            (#""Sun, 01 Mar 2026 12:02:00 GMT""#, 120),
            (#""Sunday, 01-Mar-26 12:05:00 GMT""#, 300),
            (#""Sun Mar  1 12:05:00 2026""#, 300), (#""Tue Mar 10 12:00:00 2026""#, 777_600),
            (#""sun, 01 mar 2026 12:02:00 gmt""#, 120),
            (#""2026-03-01T12:00:30Z""#, 30), (#"["3"]"#, 3), (#"["x","4"]"#, 4),
        ] as [(String, Double?)])
    func retryAfterIsRead(value: String, seconds: Double?) throws {
        #expect(try retryAfter(value) == seconds)
    }

    @Test(arguments: [
        #""-5""#, "-5", #""1.5""#, "1.5", #""soon""#, #""""#, "null", "true", #""0""#, "0",
        #""Sun, 01 Mar 2026 11:59:00 GMT""#, #""Thu, 01 Jan 1970 00:00:00 GMT""#,
        #""Sun, 31 Feb 2026 12:00:00 GMT""#, #""Sun, 01 Mar 2026 25:00:00 GMT""#,
        #""Sun, 01 Mar 2026 12:02:00""#, #""120 seconds""#, #""1e3""#, #""+5""#, #""0x10""#,
        #""Sunday, 01-Mar-77 12:05:00 GMT""#,
    ])
    func retryAfterThatIsNoWaitIsNone(value: String) throws {
        #expect(try retryAfter(value) == nil)
    }

    @Test func whatIsTooLargeIsAsLargeAsCanBe() throws {
        let wait = try #require(try retryAfter(#""99999999999999999999999""#))
        #expect(wait > 9e12)
        #expect(try retryAfter(#""31536000""#) == 31_536_000)
    }

    /// RFC 9110 section 5.6.7: a year more than 50 years ahead is one of the past.
    @Test func twoDigitYearsAreTheNearestThatFits() throws {
        #expect(try retryAfter(#""Monday, 01-Mar-76 12:00:00 GMT""#) != nil)
        #expect(try retryAfter(#""Tuesday, 01-Mar-77 12:00:00 GMT""#) == nil)
    }

    @Test func datesCountFromTheReceiptAndElseFromNow() throws {
        let header =
            #""http":{"status":503,"headers":{"Retry-After":"Sun, 01 Mar 2026 12:02:00 GMT"}}"#
        let earlier = try judge.verdict(
            #"{"received_at":"2026-03-01T11:00:00Z",\#(header)}"#)
        #expect(earlier.hintSeconds(now: noon) == 3_720)
        #expect(earlier.receivedAt == WallTime(usec: noon.usec - 3_600_000_000))
        let untold = try judge.verdict("{\(header)}")
        #expect(untold.receivedAt == nil)
        #expect(untold.hint == .at(WallTime(usec: noon.usec + 120_000_000)))
    }

    @Test(arguments: [
        "1772366400", "1772366400000", "1772366400000000", #""2026-03-01T12:00:00Z""#,
        #""2026-03-01T13:00:00+01:00""#, #""2026-03-01T06:30:00.000-0530""#,
        #""2026-03-01 12:00:00""#, #""Sun, 01 Mar 2026 12:00:00 GMT""#, #""1772366400""#,
    ])
    func theReceiptIsToldInManyWays(value: String) throws {
        let verdict = try judge.verdict(#"{"received_at":\#(value),"http":{"status":404}}"#)
        #expect(verdict.receivedAt == noon)
    }

    @Test(arguments: ["null", #""yesterday""#, "-1", "{}", #""2026-03-01""#])
    func aReceiptThatCannotBeReadIsNone(value: String) throws {
        let verdict = try judge.verdict(#"{"received_at":\#(value),"http":{"status":404}}"#)
        #expect(verdict.receivedAt == nil)
    }

    private func throttled(_ headers: String, body: String = "null") throws -> Double? {
        try judge.wait(
            """
            {"received_at":"2026-03-01T12:00:00Z",
            "http":{"status":429,"headers":{\(headers)},"body":\(body)}}
            """)
    }

    @Test(
        arguments: [
            (#""retry-after-ms":"2500""#, 2.5), (#""X-MS-Retry-After-MS":"1500""#, 1.5),
            (#""retry-after-ms":2500"#, 2.5), (#""retry-after-ms":"-1""#, nil),
            (#""Retry-After":"3","retry-after-ms":"2500""#, 3),
            (#""Retry-After":"junk","retry-after-ms":"2500""#, 2.5),
            (#""RateLimit-Remaining":"0","RateLimit-Reset":"50""#, 50),
            (#""RateLimit-Remaining":"0","RateLimit-Reset":"1772366460""#, 60),
            (#""X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1772366430000""#, 30),
            (#""X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1772367300""#, 900),
            (#""X-Rate-Limit-Remaining":"0","X-Rate-Limit-Reset":"1772366410""#, 10),
            (#""X-RateLimit-Remaining":"0.0","X-RateLimit-Reset":"57""#, 57),
            (
                #""X-RateLimit-Remaining":"0","X-RateLimit-Reset":"Sun, 01 Mar 2026 12:01:00 GMT""#,
                60
            ),
            (#""X-RateLimit-Remaining":"0","X-RateLimit-Next":"2026-03-01T12:00:20Z""#, 20),
            (#""X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1772366000""#, nil),
            (#""X-RateLimit-Remaining":"1","X-RateLimit-Reset":"50""#, nil),
            (#""X-RateLimit-Reset":"50""#, nil),
            (#""X-RateLimit-Remaining":"0","X-RateLimit-Reset":"-50""#, nil),
            (#""RateLimit":"\"default\";r=0;t=40""#, 40),
            (#""RateLimit":"\"a\";r=0;t=40, \"b\";r=0;t=70, \"c\";r=9;t=99""#, 70),
            (#""RateLimit":"limit=100, remaining=0, reset=45""#, 45),
            (#""RateLimit":"limit=100, remaining=9, reset=45""#, nil),
            (#""x-ratelimit-remaining-requests":"0","x-ratelimit-reset-requests":"6m0s""#, 360),
            (#""x-ratelimit-remaining-tokens":"0","x-ratelimit-reset-tokens":"20ms""#, 0.02),
            (
                #""Retry-After":"10","x-ratelimit-remaining":"0","x-ratelimit-reset":"1772367000""#,
                10
            ),
            (
                #""Retry-After":"0","x-ratelimit-remaining":"0","x-ratelimit-reset":"1772367000""#,
                nil
            ),
        ] as [(String, Double?)])
    func limitFieldsAreRead(headers: String, seconds: Double?) throws {
        #expect(try throttled(headers) == seconds)
    }

    @Test(
        arguments: [
            (#"{"retry_after":1.337}"#, 1.337),
            (#"{"error":{"details":[{"@type":"x/google.rpc.RetryInfo","retryDelay":"4s"}]}}"#, 4),
            (#"{"message":"Try again after 2026-03-01T12:05:00Z, please."}"#, 300),
            (#"{"message":"until Sun, 01 Mar 2026 12:01:00 GMT"}"#, 60),
            (#""Come back at 2026-03-01 12:00:05""#, 5),
            (#"{"message":"since 2026-03-01T11:05:00Z"}"#, nil),
            (#"{"message":"try again in 300 seconds"}"#, nil),
            (#"{"message":"version 12026-03-01T12:05:00Z"}"#, nil),
        ] as [(String, Double?)])
    func bodiesMayTellAWait(body: String, seconds: Double?) throws {
        #expect(try throttled("", body: body) == seconds)
    }

    @Test func aHeaderCountsBeforeTheBody() throws {
        #expect(try throttled(#""Retry-After":"2""#, body: #"{"retry_after":9}"#) == 2)
    }

    @Test func theWaitOfThePolicyIsNotTheVerdicts() throws {
        let verdict = try judge.verdict(
            #"{"http":{"status":429,"headers":{"Retry-After":"31536000"}}}"#)
        #expect(verdict.hint == .after(.seconds(31_536_000)))
    }

    @Test(
        arguments: [
            (#""34.074s""#, 34.074), (#""0.5s""#, 0.5), (#""1h2m3s""#, 3_723), ("3", 3),
            (#""3""#, nil),
            (#""-3s""#, nil), (#""s""#, nil), (#""3 s""#, nil), (#""3d""#, nil),
        ] as [(String, Double?)])
    func durationsAreRead(delay: String, seconds: Double?) throws {
        let wait = try judge.wait(
            """
            {"request":{"idempotent":true},"grpc":{"code":14,"details":[
            {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":\(delay)}]}}
            """)
        #expect(wait == seconds)
    }

    @Test(
        arguments: [
            (#"{\"1\":[{\"estimated_time_to_regain_access\": 19}]}"#, 1_140),
            (
                #"{\"1\":[{\"estimated_time_to_regain_access\":2}],"#
                    + #"\"2\":[{\"estimated_time_to_regain_access\":5}]}"#,
                300
            ),
            (#"{\"1\":[{\"estimated_time_to_regain_access\":0}]}"#, nil),
            (#"{\"1\":[{\"call_count\":100}]}"#, nil), ("junk", nil),
        ] as [(String, Double?)])
    func graphTellsMinutes(value: String, seconds: Double?) throws {
        let wait = try judge.wait(
            """
            {"http":{"status":400,"headers":{"X-Business-Use-Case-Usage":"\(value)"},
            "body":{"error":{"code":17,"fbtrace_id":"A"}}}}
            """)
        #expect(wait == seconds)
    }
}
