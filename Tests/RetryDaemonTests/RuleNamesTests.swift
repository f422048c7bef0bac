import RetryModel
import Testing

@testable import RetryDaemon

/// A rule's name keeps its number for ever.
@Suite
struct RuleNamesTests {
    @Test
    func namesAreNumberedAsTheyAreUsed() {
        var names = RuleNames()
        names.rulesChanged(count: 3)
        #expect(names.index(ofRule: 2, name: "c") == (1, true))
        #expect(names.index(ofRule: 2, name: "c") == (1, false))
        #expect(names.index(ofRule: 0, name: "a") == (2, true))
        #expect(names.name(1) == "c")
        #expect(names.name(2) == "a")
    }

    @Test
    func noRuleHasNoName() {
        let names = RuleNames()
        #expect(names.name(0) == nil)
        #expect(names.name(77) == nil)
    }

    @Test
    func otherRulesFindTheNumbersThatNamesHave() {
        var names = RuleNames()
        names.restore(7, name: "kept")
        names.rulesChanged(count: 2)
        #expect(names.index(ofRule: 1, name: "kept") == (7, false))
        #expect(names.index(ofRule: 0, name: "new") == (8, true))
        names.rulesChanged(count: 1)
        #expect(names.index(ofRule: 0, name: "new") == (8, false))
        #expect(names.name(7) == "kept")
    }

    @Test
    func aNameIsAskedForOnlyOnce() {
        var names = RuleNames()
        names.rulesChanged(count: 1)
        _ = names.index(ofRule: 0, name: "a")
        func fail() -> String {
            Issue.record("the name was asked for again")
            return ""
        }
        #expect(names.index(ofRule: 0, name: fail()) == (1, false))
    }

    @Test
    func withoutNumbersADecisionTellsNoRule() {
        var names = RuleNames()
        names.restore(.max, name: "last")
        names.rulesChanged(count: 1)
        #expect(names.index(ofRule: 0, name: "one too many") == (0, false))
    }
}
