import RetryModel
import RetryRules
import Testing

@Suite struct ClassifierMatchTests {
    /// Whether a condition holds for a document.
    private func holds(_ condition: String, _ json: String) throws -> Bool {
        let text = """
            [[rule]]
            name = "x"
            phase = "body"
            when.\(condition)
            then = "new-flow"
            """
        let judge = Judge(try ruleSet(text))
        let isTrue = try judge.verdict(json).rule != nil
        // Explaining looks at every rule, classifying only at those that could match.
        #expect((try judge.explanation(json).verdict.rule != nil) == isTrue)
        return isTrue
    }

    @Test(arguments: [
        (#"a = "x""#, #"{"a":"x"}"#, true),
        (#"a = "x""#, #"{"a":"X"}"#, false),
        (#"a = ["x","y"]"#, #"{"a":"y"}"#, true),
        (#"a = 5"#, #"{"a":5}"#, true),
        (#"a = 5"#, #"{"a":"5"}"#, true),
        (#"a = 5"#, #"{"a":" 5 "}"#, true),
        (#"a = 5"#, #"{"a":5.0}"#, true),
        (#"a = 0"#, #"{"a":"0.0"}"#, true),
        (#"a = 5"#, #"{"a":5.5}"#, false),
        (#"a = 5"#, #"{"a":"five"}"#, false),
        (#"a = "500-599""#, #"{"a":500}"#, true),
        (#"a = "500-599""#, #"{"a":599}"#, true),
        (#"a = "500-599""#, #"{"a":600}"#, false),
        (#"a = "1-100000""#, #"{"a":77777}"#, true),
        (#"a = "-30--10""#, #"{"a":-20}"#, true),
        (#"a = "-30--10""#, #"{"a":-9}"#, false),
        (#"a = "-5-5""#, #"{"a":0}"#, true),
        (#"a = "x*z""#, #"{"a":"xyyz"}"#, true),
        (#"a = "x*z""#, #"{"a":"xyyzq"}"#, false),
        (#"a = "x?z""#, #"{"a":"xyz"}"#, true),
        (#"a = "*a*b*""#, #"{"a":"qqaqqbqq"}"#, true),
        (#"a.exactly = "x*z""#, #"{"a":"xyz"}"#, false),
        (#"a.exactly = "10-20""#, #"{"a":"10-20"}"#, true),
        (#"a = true"#, #"{"a":true}"#, true),
        (#"a = true"#, #"{"a":"true"}"#, true),
        (#"a = true"#, #"{"a":1}"#, false),
        (#"a = false"#, #"{"a":false}"#, true),
        (#"a.exists = true"#, #"{"a":{}}"#, true),
        (#"a.exists = true"#, #"{"a":null}"#, false),
        (#"a.exists = false"#, #"{"a":null}"#, true),
        (#"a.exists = false"#, #"{"b":1}"#, true),
        (#"a.not = 5"#, #"{"a":6}"#, true),
        (#"a.not = 5"#, #"{"a":5}"#, false),
        (#"a.not = 5"#, #"{}"#, true),
        (#"a.not = ["x", "1-3"]"#, #"{"a":2}"#, false),
        (#"a.not.contains = "x""#, #"{"a":"y"}"#, true),
        (#"a = { is = "1-9", not = 5 }"#, #"{"a":5}"#, false),
        (#"a = { is = "1-9", not = 5 }"#, #"{"a":6}"#, true),
        (#"a.contains = "Certificate""#, #"{"a":"bad certificate here"}"#, true),
        (#"a.contains = ["x", "y"]"#, #"{"a":"zzy"}"#, true),
        (#"a.contains = "x""#, #"{"a":5}"#, false),
        (#"a.word = "whenAppForeground""#, #"{"a":"WHEN_APP-foreground"}"#, true),
        (#"a.word = "whenAppForeground""#, #"{"a":"whenAppForegrounds"}"#, false),
        (#"a.form = "seconds-or-date""#, #"{"a":"12"}"#, true),
        (#"a.form = "seconds-or-date""#, #"{"a":"-12"}"#, false),
        (#"a.b.c = 1"#, #"{"a":{"b":{"c":1}}}"#, true),
        (#"a."b.c" = 1"#, #"{"a":{"b":{"c":1}}}"#, true),
        (#"a.'"b.c"' = 1"#, #"{"a":{"b.c":1}}"#, true),
        (#"a = "x""#, #"{"a":["w","x"]}"#, true),
        (#"a = 7"#, #"{"a":[5,7]}"#, true),
        (#"a.not = "x""#, #"{"a":["w","x"]}"#, false),
        (#"a.contains = "b""#, #"{"a":["aa","abc"]}"#, true),
        (#"http.headers.x-y = 1"#, #"{"http":{"headers":{"X-Y":"1"}}}"#, true),
        (#"http.headers.X-Y = 1"#, #"{"http":{"headers":[["x-y","1"]]}}"#, true),
        (#"http.headers.x-y = 1"#, #"{"http":{"headers":[{"name":"X-Y","value":"1"}]}}"#, true),
        (#"a = 1"#, #"{"a":1,"a":2}"#, true),
    ])
    func aConditionHoldsOrNot(condition: String, json: String, expected: Bool) throws {
        #expect(try holds(condition, json) == expected)
    }

    /// Texts are searched eight bytes at a time: no place may be missed, none made up.
    @Test func aTextIsFoundAtEveryPlace() throws {
        let judge = Judge(
            try ruleSet(
                """
                [[rule]]
                name = "found"
                phase = "body"
                when.a.contains = "Lock"
                then = "new-flow"
                """))
        for before in 0...20 {
            for after in 0...20 {
                let head = String(repeating: "l", count: before)
                let tail = String(repeating: "o", count: after)
                #expect(try judge.verdict(#"{"a":"\#(head)lOCK\#(tail)"}"#).rule == 0)
                #expect(try judge.verdict(#"{"a":"\#(head)loc\#(tail)"}"#).rule == nil)
                #expect(try judge.verdict(#"{"a":"\#(head)\#(tail)lock"}"#).rule == 0)
            }
        }
    }

    @Test func allConditionsOfATableMustHold() throws {
        let condition = "a = 1\nwhen.b = 2"
        #expect(try holds(condition, #"{"a":1,"b":2}"#))
        #expect(try !holds(condition, #"{"a":1,"b":3}"#))
        #expect(try !holds(condition, #"{"a":1}"#))
    }

    @Test func aPackConditionHoldsForAllItsRules() throws {
        let judge = Judge(
            try ruleSet(
                """
                [pack]
                when = [{ process.name = "tool" }, { process.name = "tool2" }]
                [[fact]]
                name = "process.name"
                from = "process.program"
                take = "basename"
                [[rule]]
                name = "x"
                when.process.exit_code = 3
                then = "new-flow"
                """))
        #expect(
            try judge.decision(#"{"process":{"program":"/bin/tool2","exit_code":3}}"#)
                == "x: new-flow")
        #expect(
            try judge.verdict(#"{"process":{"program":"/bin/other","exit_code":3}}"#).rule == nil)
    }

    @Test(arguments: [
        #"{"error":"invalid_grant"}"#, #""{\"error\":\"invalid_grant\"}""#,
        #""  {\"error\":\"invalid_grant\"}\n""#, #""error=invalid_grant&state=1""#,
        #""state=a%20b&error=invalid%5Fgrant""#, #"[{"error":"invalid_grant"}]"#,
    ])
    func bodiesComeInFourForms(body: String) throws {
        let judge = Judge()
        let json = #"{"http":{"status":400,"body":\#(body)}}"#
        #expect(try judge.decision(json) == "oauth-invalid-grant: reauthenticate")
    }

    @Test(arguments: [
        #""<html>error=invalid_grant</html>""#, #""{\"error\":""#, #""""#, #""[1,2]""#,
        #""error=%ff%fe""#, #"17"#, #"true"#,
    ])
    func otherBodiesAreText(body: String) throws {
        let json = #"{"http":{"status":400,"body":\#(body)}}"#
        #expect(try Judge().decision(json) == "http-refused: permanent introspect-cause")
    }
}
