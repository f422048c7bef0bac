import RetryRules
import Testing

/// A mistake in a rule file is refused with its place and, for names, with what was meant.
@Suite struct RuleErrorTests {
    private func error(_ text: String) -> RuleError? {
        do {
            _ = try ruleSet(text)
            return nil
        } catch {
            return error
        }
    }

    /// A rule that lacks its consequence.
    private static let status = "[[rule]]\nname = \"x\"\nwhen.http.status = 4\n"

    private let head = "[[rule]]\nname = \"x\"\n"

    @Test(arguments: [
        ("[[rule]]\nnmae = \"x\"\n", 2, 1, "name"),
        ("[[rlue]]\n", 1, 3, "rule"),
        ("[pack]\nphse = \"body\"\n", 2, 1, "phase"),
        ("[[rule]]\nname = \"x\"\nphase = \"staus\"\n", 3, 9, "status"),
        (
            "[[rule]]\nname = \"x\"\nwhen.http.stauts = 409\nthen = \"retry\"\n", 3, 11,
            "http.status"
        ),
        (
            "[[rule]]\nname = \"x\"\nwhen.htpp.status = 409\nthen = \"retry\"\n", 3, 11,
            "http.status"
        ),
        ("[[rule]]\nname = \"x\"\nwhen.http.status = 409\nthen = \"rety\"\n", 4, 8, "retry"),
        (
            "\(status)then = { decision = \"retry\", limt = 1 }",
            4, 30, "limit"
        ),
        (
            "[[rule]]\nname = \"x\"\nwhen.http.headers.age.exsits = true\nthen = \"retry\"\n",
            3, 23, "exists"
        ),
        (
            "[[hint]]\nname = \"wait-a-bit\"\nwait = 5\n\(status)"
                + "then = { decision = \"retry\", hint = \"wait-abit\" }",
            7, 37, "wait-a-bit"
        ),
        ("override.htp-conflict = \"retry\"\n\(ruleNamedConflict)", 1, 10, "http-conflict"),
        ("[[fact]]\nname = \"a.b\"\nfrom = \"x.y\"\ntake = \"base-name\"\n", 4, 8, "basename"),
        ("[[hint]]\nname = \"a\"\nfrom = \"x.y\"\nform = \"second\"\n", 4, 8, "seconds"),
    ])
    func aMisspeltNameIsNamed(text: String, line: Int, column: Int, nearest: String) {
        let error = error(text)
        #expect(error?.line == line)
        #expect(error?.column == column)
        #expect(error?.nearest == nearest)
        #expect(error?.file == "/etc/retryd/rules.d/test.toml")
        #expect(error?.description.contains("did you mean '\(nearest)'?") == true)
    }

    private static let ruleNamedConflict = """
        [[rule]]
        name = "http-conflict"
        when.http.status = 409
        then = "retry"
        """

    @Test(arguments: [
        ("a = [", "array"),
        ("[[rule]]\nname = \"x\"\n", "'when' is missing"),
        ("[[rule]]\nwhen.http.status = 1\n", "'name' is missing"),
        ("[[rule]]\nname = \"x\"\nwhen.http.status = 1\n", "'then' is missing"),
        ("[[rule]]\nname = \"a b\"\n", "letters, digits"),
        ("[[rule]]\nname = 5\n", "must be a string, not an integer"),
        ("rule = 5\n", "must be written [[rule]]"),
        ("[[rule]]\nname = \"x\"\nwhen = {}\nthen = \"retry\"\n", "'when' is empty"),
        ("[[rule]]\nname = \"x\"\nwhen.http.status = []\nthen = \"retry\"\n", "the list is empty"),
        ("[[rule]]\nname = \"x\"\nwhen.http.status = 1.5\nthen = \"retry\"\n", "a fraction"),
        ("[[rule]]\nname = \"x\"\nwhen.http.status = \"599-500\"\nthen = \"retry\"\n", "swapped"),
        (
            "[[rule]]\nname = \"x\"\nwhen.request.method = \"GET\"\nthen = \"retry\"\n",
            "'phase' is missing"
        ),
        (
            "[[rule]]\nname = \"x\"\nwhen.nserror.underlying.code = 1\nthen = \"retry\"\n",
            "names a cause"
        ),
        (
            "\(status)then = { decision = \"new-flow\", limit = 2 }",
            "with 'retry' only"
        ),
        (
            "\(status)then = { decision = \"retry\", limit = 0 }",
            "from 1 to 255"
        ),
        ("[[rule]]\nname = \"x\"\nwhen.\"a..b\" = 1\nthen = \"retry\"\n", "no dotted path"),
        ("[[hint]]\nname = \"a\"\nwait = 5\nfrom = \"x\"\n", "in place of"),
        ("override.x = \"retry\"\n", "there is no rule 'x'"),
    ])
    func whatIsWrongIsSaid(text: String, reason: String) {
        #expect(error(text)?.reason.lowercased().contains(reason.lowercased()) == true)
    }

    @Test func twoRulesOfOneNameInOneFileAreASlip() {
        let rule = "\(head)when.http.status = 1\nthen = \"retry\"\n"
        #expect(error(rule + rule)?.reason == "a rule 'x' stands in line 1 already")
    }

    @Test func ownMembersMayBeMatched() throws {
        let judge = Judge(
            try ruleSet(
                """
                [pack]
                members = ["http.stats"]
                [[rule]]
                name = "own"
                phase = "body"
                when = [{ job.reason = "busy" }, { http.stats = 1 }]
                then = "retry"
                """))
        #expect(try judge.decision(#"{"job":{"reason":"busy"}}"#) == "own: retry")
        #expect(try judge.decision(#"{"http":{"stats":1}}"#) == "own: retry")
    }

    /// A policy is not the rules' to define: where it is not known is told with its place.
    @Test func aPolicyThatIsDefinedNowhereIsFound() throws {
        let rules = try ruleSet(
            """
            [pack]
            policy = "slw"
            [[rule]]
            name = "x"
            when.http.status = 4
            then = "retry"
            [[rule]]
            name = "y"
            when.http.status = 5
            then = { decision = "retry", policy = "slow" }
            [[rule]]
            name = "z"
            when.http.status = 6
            then = { decision = "retry", policy = "patient" }
            """)
        let errors = rules.unknownPolicies(known: ["default", "slow"])
        #expect(
            errors.map(\.description) == [
                "/etc/retryd/rules.d/test.toml:2:10: rule 'x' names a policy 'slw', "
                    + "which is defined nowhere, did you mean 'slow'?",
                "/etc/retryd/rules.d/test.toml:14:39: rule 'z' names a policy 'patient', "
                    + "which is defined nowhere",
            ])
        #expect(rules.unknownPolicies(known: ["default", "slow", "slw", "patient"]).isEmpty)
    }
}
