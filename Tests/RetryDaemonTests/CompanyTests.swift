import Testing

@testable import RetryDaemon

@Suite
struct CompanyTests {
    @Test
    func asManyCallsAreWaitedForAsWereAnswered() {
        var company = Company()
        company.begin(atUsec: 1_000, batchTook: 400)
        var first = company.expect(1)
        var second = company.expect(2)
        #expect(company.waitUsec(atUsec: 1_010) == 90)
        company.came(&first)
        // A second call of the same client says nothing about the other one.
        company.came(&first)
        company.came(&second)
        #expect(company.waitUsec(atUsec: 1_020) == 80)
        company.came(&second)
        #expect(company.waitUsec(atUsec: 1_020) == nil)
    }

    @Test
    func whoGoesIsNotWaitedFor() {
        var company = Company()
        company.begin(atUsec: 1_000, batchTook: 400)
        var mark = company.expect(3)
        company.came(&mark)
        company.left(&mark)
        #expect(company.waitUsec(atUsec: 1_000) == nil)
    }

    @Test
    func patienceIsAQuarterOfABatch() {
        var company = Company()
        company.begin(atUsec: 1_000, batchTook: 400)
        _ = company.expect(1)
        #expect(company.waitUsec(atUsec: 1_099) == 1)
        #expect(company.waitUsec(atUsec: 1_100) == nil)
    }

    @Test(arguments: [(60_000, 500), (2_000, 500), (80, 20), (79, nil), (0, nil)])
    func patienceHasBounds(batchUsec: Int64, waitUsec: Int64?) {
        var company = Company()
        company.begin(atUsec: 0, batchTook: batchUsec)
        _ = company.expect(1)
        #expect(company.waitUsec(atUsec: 0) == waitUsec)
    }

    /// One slow batch does not make the next ones wait for long.
    @Test
    func whatABatchTakesIsLearntSlowly() {
        var company = Company()
        company.begin(atUsec: 0, batchTook: 80)
        company.begin(atUsec: 0, batchTook: 880)
        #expect(company.batchUsec == 180)
    }

    /// Who comes back rounds later is not one of those that are expected now.
    @Test
    func marksOfEarlierRoundsMeanNothing() {
        var company = Company()
        company.begin(atUsec: 1_000, batchTook: 400)
        var late = company.expect(1)
        company.begin(atUsec: 2_000, batchTook: 400)
        var prompt = company.expect(1)
        company.came(&late)
        #expect(company.waitUsec(atUsec: 2_000) == 100)
        company.came(&prompt)
        #expect(company.waitUsec(atUsec: 2_000) == nil)
    }

    @Test
    func nobodyIsExpectedAtTheStart() {
        var company = Company()
        var mark = Company.Mark()
        company.came(&mark)
        #expect(company.waitUsec(atUsec: 0) == nil)
        company.begin(atUsec: 1_000, batchTook: 400)
        #expect(company.waitUsec(atUsec: 1_000) == nil)
    }
}
