import RetryModel
import RetryRules
import Testing

/// First match wins: by phase, then directory, then file name, then position.
@Suite struct RuleCompilerTests {
    private func source(_ name: String, tier: Int, _ text: String) -> RuleSource {
        let directory = tier == 0 ? "/etc/retryd/rules.d" : "/usr/lib/retryd/rules.d"
        return RuleSource(path: "\(directory)/\(name)", tier: tier, bytes: Array(text.utf8))
    }

    private func rule(_ name: String, _ phase: String, _ then: String) -> String {
        """
        [[rule]]
        name = "\(name)"
        phase = "\(phase)"
        when.http.status = 409
        then = "\(then)"

        """
    }

    private let conflict = #"{"http":{"status":409},"request":{"method":"PUT"}}"#

    @Test func theEarlierPhaseDecides() throws {
        let text = rule("late", "status", "retry") + rule("early", "verdict", "new-flow")
        let judge = Judge(try ruleSet(text))
        #expect(try judge.decision(conflict) == "early: new-flow")
    }

    @Test func withinAPhaseTheHigherDirectoryDecides() throws {
        let sources = [
            source("a.toml", tier: 3, rule("ours", "status", "permanent introspect-cause")),
            source("z.toml", tier: 0, rule("yours", "status", "retry")),
        ]
        let judge = Judge(try RuleSet.compile(files: sources))
        #expect(try judge.decision(conflict) == "yours: retry")
    }

    @Test func withinADirectoryTheFileNameDecides() throws {
        let sources = [
            source("20.toml", tier: 0, rule("second", "status", "retry")),
            source("10.toml", tier: 0, rule("first", "status", "new-flow")),
        ]
        let judge = Judge(try RuleSet.compile(files: sources))
        #expect(try judge.decision(conflict) == "first: new-flow")
    }

    @Test func withinAFileThePositionDecides() throws {
        let text = rule("first", "status", "new-flow") + rule("second", "status", "retry")
        #expect(try Judge(try ruleSet(text)).decision(conflict) == "first: new-flow")
    }

    /// A more exact condition is found by look-up, a pattern by trial: the order must not care.
    @Test func theKindOfConditionDoesNotMatter() throws {
        let text = """
            [[rule]]
            name = "any"
            when.http.status = "400-4000"
            then = "new-flow"
            [[rule]]
            name = "exact"
            when.http.status = 409
            then = "retry"
            [[rule]]
            name = "absent"
            phase = "status"
            when.http.body.exists = false
            then = "reauthenticate"
            """
        #expect(try Judge(try ruleSet(text)).decision(conflict) == "any: new-flow")
        let turned = """
            [[rule]]
            name = "absent"
            phase = "status"
            when.http.body.exists = false
            then = "reauthenticate"
            [[rule]]
            name = "exact"
            when.http.status = 409
            then = "retry"
            """
        #expect(try Judge(try ruleSet(turned)).decision(conflict) == "absent: reauthenticate")
    }

    @Test func aFileOfTheSameNameReplacesTheLowerOne() throws {
        let sources = [
            source("http.toml", tier: 3, rule("ours", "status", "permanent introspect-cause")),
            source("http.toml", tier: 0, rule("yours", "body", "retry")),
        ]
        let rules = try RuleSet.compile(files: sources)
        #expect(rules.rules.map(\.name) == ["yours"])
        #expect(rules.rules[0].file == "/etc/retryd/rules.d/http.toml")
    }

    @Test func anEmptyFileMasksTheLowerOne() throws {
        let sources = [
            source("http.toml", tier: 3, rule("ours", "status", "permanent introspect-cause")),
            source("http.toml", tier: 0, ""),
        ]
        #expect(try RuleSet.compile(files: sources).rules.isEmpty)
    }

    @Test func oneLineInEtcTurnsAConflictIntoARetry() throws {
        let line = source(
            "local.toml", tier: 0, "\noverride.http-conflict = \"retry\"\n")
        let judge = Judge(try RuleSet.compile(files: shippedSources + [line]))
        #expect(try judge.decision(conflict) == "http-conflict: retry")
        let explanation = try judge.explanation(conflict)
        let rule = judge.rules.rules[try #require(explanation.verdict.rule)]
        #expect(rule.file == "/etc/retryd/rules.d/local.toml")
        #expect(rule.line == 2)
    }

    @Test func oneRuleInOneLineDoesToo() throws {
        let line = source(
            "local.toml", tier: 0,
            #"rule = [{ name = "mine", when.http.status = 409, then = "retry" }]"#)
        let judge = Judge(try RuleSet.compile(files: shippedSources + [line]))
        #expect(try judge.decision(conflict) == "mine: retry")
        #expect(judge.rules.rules[try #require(judge.verdict(conflict).rule)].line == 1)
    }

    @Test func theFirstOverrideOfANameCounts() throws {
        let sources = [
            source("a.toml", tier: 3, rule("ours", "status", "permanent introspect-cause")),
            source("b.toml", tier: 3, "override.ours = \"new-flow\""),
            source("c.toml", tier: 0, "[override.ours]\ndecision = \"retry\"\nlimit = 2\n"),
        ]
        let judge = Judge(try RuleSet.compile(files: sources))
        #expect(try judge.decision(conflict) == "ours: retry")
        #expect(try judge.verdict(conflict).repeatMax == 2)
    }

    @Test func phasesAreInferredFromTheEvidence() throws {
        let conditions = [
            ("http.status = 1", RulePhase.status), ("http.body.error = \"x\"", .body),
            ("errno.name = \"EX\"", .transport), ("process.exit_code = 9", .generic),
            ("{ process.exit_code = 9, process.program = \"x\" }", .program),
            ("haapi.case = \"x\"", .verdict),
            ("{ http.status = 1, oauth.endpoint = \"x\" }", .body),
        ]
        for (condition, phase) in conditions {
            let when = condition.hasPrefix("{") ? "when = \(condition)" : "when.\(condition)"
            let rules = try ruleSet("[[rule]]\nname = \"x\"\n\(when)\nthen = \"retry\"\n")
            #expect(rules.rules[0].phase == phase, "\(condition)")
        }
    }

    @Test func theHashFollowsContentAndOrder() throws {
        let one = source("a.toml", tier: 0, rule("a", "status", "retry"))
        let other = source("b.toml", tier: 0, rule("b", "status", "retry"))
        let both = try RuleSet.compile(files: [one, other]).contentHash
        #expect(try RuleSet.compile(files: [other, one]).contentHash == both)
        #expect(try RuleSet.compile(files: [one]).contentHash != both)
    }
}
