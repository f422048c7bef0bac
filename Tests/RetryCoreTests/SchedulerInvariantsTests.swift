import RetryModel
import Testing

@testable import RetryCore

/// The checks of all other tests must themselves be able to fail.
@Suite
struct SchedulerInvariantsTests {
    @Test
    func aSoundOneHolds() throws {
        var fixture = Fixture()
        try fixture.submit(Fixture.Order(credential: "a", keyHash: 1, verdict: .foreground))
        try fixture.submit(Fixture.Order(eventHash: 2))
        fixture.core.checkInvariants()
    }

    @Test
    func aWrongCountIsFound() async {
        await #expect(processExitsWith: .failure) {
            var fixture = Fixture()
            try fixture.submit()
            fixture.core.counts[.ready] += 1
            fixture.core.checkInvariants()
        }
    }

    @Test
    func anOperationInNoPlaceIsFound() async {
        await #expect(processExitsWith: .failure) {
            var fixture = Fixture()
            try fixture.submit()
            fixture.core.unplace(0)
            fixture.core.counts[.scheduled] += 1
            fixture.core.checkInvariants()
        }
    }

    @Test
    func aWrongFaceIsFound() async {
        await #expect(processExitsWith: .failure) {
            var fixture = Fixture()
            fixture.set(.ownForeground, true)
            try fixture.submit(Fixture.Order(verdict: .foreground))
            var record = fixture.core.signals[0]
            record.isOn = false
            fixture.core.signals.set(0, to: record)
            fixture.core.checkInvariants()
        }
    }

    @Test
    func aTimeThatIsNotItsKeyIsFound() async {
        await #expect(processExitsWith: .failure) {
            var fixture = Fixture()
            try fixture.submit()
            fixture.core.table[0].due = .never
            fixture.core.checkInvariants()
        }
    }

    @Test
    func aLostLeaseRecordIsFound() async {
        await #expect(processExitsWith: .failure) {
            var fixture = Fixture()
            try fixture.submit()
            fixture.pass(.seconds(2))
            _ = fixture.lease()
            fixture.core.leases.removeAll()
            fixture.core.checkInvariants()
        }
    }

    @Test
    func aKeyOfAnEndedOneIsFound() async {
        await #expect(processExitsWith: .failure) {
            var fixture = Fixture()
            let id = try fixture.submit(Fixture.Order(keyHash: 5)).id
            try fixture.cancel(id)
            fixture.core.table[0].keyHash = 5
            fixture.core.checkInvariants()
        }
    }
}
