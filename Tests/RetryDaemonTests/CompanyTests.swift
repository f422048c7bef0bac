import Testing

@testable import RetryDaemon

@Suite
struct CompanyTests {
    @Test
    func whoWasAnsweredIsWaitedForUntilHeCalls() {
        var company = Company()
        company.begin(atUsec: 1_000)
        var first = company.expect()
        var second = company.expect()
        #expect(company.waitUsec(atUsec: 1_010) == 90)
        company.came(&first)
        #expect(company.waitUsec(atUsec: 1_020) == 80)
        // A second call of the same client says nothing about the other one.
        company.came(&first)
        #expect(company.waitUsec(atUsec: 1_020) == 80)
        company.came(&second)
        #expect(company.waitUsec(atUsec: 1_020) == nil)
    }

    @Test
    func patienceEnds() {
        var company = Company()
        company.begin(atUsec: 1_000)
        _ = company.expect()
        #expect(company.waitUsec(atUsec: 1_099) == 1)
        #expect(company.waitUsec(atUsec: 1_100) == nil)
    }

    /// Who comes back rounds later is not one of those that are expected now.
    @Test
    func marksOfEarlierRoundsMeanNothing() {
        var company = Company()
        company.begin(atUsec: 1_000)
        var late = company.expect()
        company.begin(atUsec: 2_000)
        var prompt = company.expect()
        company.came(&late)
        #expect(company.waitUsec(atUsec: 2_000) == 100)
        company.came(&prompt)
        #expect(company.waitUsec(atUsec: 2_000) == nil)
    }

    @Test
    func nobodyIsExpectedAtTheStart() {
        var company = Company()
        var mark: Company.Mark = 0
        company.came(&mark)
        #expect(company.waitUsec(atUsec: 0) == nil)
        company.begin(atUsec: 1_000)
        #expect(company.waitUsec(atUsec: 1_000) == nil)
    }
}
