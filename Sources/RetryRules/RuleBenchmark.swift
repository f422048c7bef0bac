import JSON
package import RetryModel

/// Documents and loops for measuring the classifier. The clock is the caller's: this target has
/// none.
package struct RuleBenchmark {
    /// A document, and how long classifying it may take.
    package struct Sample: Sendable {
        package var name: String
        package var json: String
        package var targetNanoseconds: Int
    }

    package static let samples: [Sample] = [
        Sample(
            name: "HTTP 503 with Retry-After",
            json: """
                {"request":{"method":"GET","url":"https://api.example.test/v1/items",\
                "idempotent":true,"idempotency_key":null},"received_at":"2026-03-01T12:00:00Z",\
                "http":{"status":503,"headers":{"Content-Type":"application/json",\
                "Date":"Sun, 01 Mar 2026 12:00:00 GMT","Server":"nginx","Retry-After":"120"},\
                "body":null}}
                """,
            targetNanoseconds: 2_000),
        Sample(
            name: "HTTP 404",
            json: """
                {"request":{"method":"POST","url":"https://api.example.test/v1/items"},\
                "http":{"status":404,"headers":{"Content-Type":"application/json",\
                "Server":"nginx"},"body":{"message":"not found"}}}
                """,
            targetNanoseconds: 2_000),
        Sample(
            name: "exit code 75",
            json: #"{"process":{"program":"/usr/local/bin/sync-job","exit_code":75}}"#,
            targetNanoseconds: 2_000),
        Sample(
            name: "OAuth body as object",
            json: """
                {"request":{"method":"POST","url":"https://idp.example.test/oauth/token",\
                "idempotent":false},"received_at":"2026-03-01T12:00:00Z","http":{"status":400,\
                "headers":{"Content-Type":"application/json","Cache-Control":"no-store"},\
                "body":{"error":"invalid_grant","error_description":"expired"}},\
                "oauth":{"endpoint":"token","grant_type":"refresh_token"}}
                """,
            targetNanoseconds: 5_000),
        Sample(
            name: "OAuth body as JSON text",
            json: """
                {"request":{"method":"POST","url":"https://idp.example.test/oauth/token"},\
                "http":{"status":400,"headers":{"Content-Type":"application/json"},\
                "body":"{\\"error\\":\\"invalid_grant\\",\\"error_description\\":\\"expired\\"}"}}
                """,
            targetNanoseconds: 5_000),
        Sample(
            name: "NSError chain, 8 deep",
            json: """
                {"request":{"idempotent":true},"nserror":{"domain":"com.example.app.SyncError",\
                "code":7,"platform":"darwin","localized_description":"It did not work.",\
                "underlying":\(chain(depth: 7))}}
                """,
            targetNanoseconds: 5_000),
        Sample(
            name: "Graph throttling",
            json: """
                {"request":{"method":"GET","url":"https://graph.facebook.com/v24.0/me"},\
                "http":{"status":400,"headers":{"X-Business-Use-Case-Usage":\
                "{\\"1\\":[{\\"estimated_time_to_regain_access\\":19}]}"},\
                "body":{"error":{"message":"(#17) User request limit reached",\
                "type":"OAuthException","code":17,"fbtrace_id":"A"}}}}
                """,
            targetNanoseconds: 5_000),
    ]

    /// Errors no rule knows, over one that a rule knows.
    private static func chain(depth: Int) -> String {
        guard depth > 1 else { return #"{"domain":"NSPOSIXErrorDomain","code":54}"# }
        return """
            {"domain":"com.example.layer\(depth)","code":\(depth),\
            "localized_description":"Layer \(depth) failed.",\
            "underlying":\(chain(depth: depth - 1))}
            """
    }

    private let classifier: Classifier
    private let parser = JSONParser(
        lengthMax: Limits.failureBytesMax, depthMax: Limits.failureDepthMax)

    package init(_ rules: RuleSet) {
        classifier = Classifier(rules)
    }

    /// Classifies one sample that many times.
    ///
    /// - Returns: A sum over the verdicts, so that nothing is optimised away; nil when the sample
    ///   is no JSON.
    package func run(_ sample: Sample, rounds: Int, now: WallTime) -> Int? {
        guard let failure = try? parser.parse(Array(sample.json.utf8)) else { return nil }
        let options = ClassifierOptions(now: now)
        var sum = 0
        for _ in 0..<rounds {
            let verdict = classifier.classify(failure, options)
            sum &+= (verdict.rule ?? -1) &+ Int(verdict.disposition.rawValue)
        }
        return sum
    }
}
