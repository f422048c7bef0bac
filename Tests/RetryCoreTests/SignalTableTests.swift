import RetryModel
import Testing

@testable import RetryCore

@Suite
struct SignalTableTests {
    private var signals = SignalTable()
    private var table = OperationTable()

    init() {
        for number in 1...8 as ClosedRange<Int64> {
            _ = table.insert(OperationSlot(id: OperationID(rawValue: number), lane: 0))
        }
    }

    private static func record(
        _ name: SignalName, _ isOn: Bool = false, until: Int64? = nil
    ) -> SignalRecord {
        SignalRecord(
            name: name, isOn: isOn, setter: 0, changedAt: Instant(usec: 0),
            changedAtWall: WallTime(usec: 0), until: until.map { Instant(usec: $0) })
    }

    @Test
    mutating func numbersSignalsInTheirOrder() {
        #expect(signals.append(Self.record(.network, true)) == 0)
        #expect(signals.append(Self.record(.ownForeground)) == 1)
        #expect(signals.index(of: .ownForeground) == 1)
        #expect(signals.index(of: .ownCredential()) == nil)
        #expect(signals.isOn(0))
        #expect(!signals.isOn(1))
    }

    @Test
    func namesOfDifferentOwnersAreDifferent() {
        #expect(
            SignalName.foreground(of: "app:x", for: 1) != .foreground(of: "app:x", for: 2))
        #expect(
            SignalName.foreground(of: "user:5", for: 1) == .foreground(of: "user:5", for: 2))
        #expect(SignalName.custom(name: "n", owner: 1) != .credential(name: "n", owner: 1))
    }

    @Test
    func levelsBeforeAnybodySetThem() {
        #expect(!SignalName.ownForeground.initialLevel)
        #expect(!SignalName.custom(name: "x", owner: 1).initialLevel)
        #expect(SignalName.network.initialLevel)
        #expect(SignalName.ownCredential().initialLevel)
    }

    @Test
    mutating func theEarliestExpiryIsNext() {
        let first = signals.append(Self.record(.network, until: 50))
        let second = signals.append(Self.record(.ownForeground, until: 20))
        #expect(signals.nextExpiry?.index == second)
        #expect(signals.nextExpiry?.at == Instant(usec: 20))
        signals.set(second, to: Self.record(.ownForeground, until: 90))
        #expect(signals.nextExpiry?.index == first)
        signals.set(first, to: Self.record(.network))
        #expect(signals.nextExpiry?.index == second)
        signals.set(second, to: Self.record(.ownForeground))
        #expect(signals.nextExpiry == nil)
    }

    @Test
    mutating func dependentsAreFoundByEitherSignal() {
        let credential = signals.append(Self.record(.ownCredential(), true))
        let condition = signals.append(Self.record(.ownForeground))
        let orders: [(SlotNumber, SignalIndex?, SignalIndex?)] = [
            (0, credential, nil), (1, nil, condition), (2, credential, condition), (3, nil, nil),
        ]
        for (slot, credential, condition) in orders {
            table[slot].condition = condition
            signals.addDependent(
                slot, credential: credential, condition: condition, in: &table)
        }
        #expect(unsettled(by: credential) == [0, 2])
        // What has its condition at home and, by its home, what may have it besides.
        #expect(unsettled(by: condition) == [0, 2, 1])
        for (slot, credential, condition) in orders.reversed() {
            signals.removeDependent(
                slot, credential: credential, condition: condition, in: &table)
        }
        #expect(unsettled(by: credential) == [])
        #expect(unsettled(by: condition) == [])
        #expect(signals.all.allSatisfy { $0.elsewhere == 0 })
    }

    @Test
    mutating func whatStandsInFrontIsLookedAtOnceAndStandsLastThen() throws {
        let condition = signals.append(Self.record(.ownForeground))
        for slot in 0..<3 as Range<SlotNumber> {
            signals.addDependent(slot, credential: nil, condition: condition, in: &table)
        }
        #expect(signals.unsettle(condition, at: Instant(usec: 7)) == 3)
        #expect(signals.unsettledAt == Instant(usec: 7))
        #expect(signals.nextUnsettled(in: &table) == 0)
        // One that came meanwhile shows the present level.
        signals.addDependent(3, credential: nil, condition: condition, in: &table)
        // One that goes is not missed.
        signals.removeDependent(1, credential: nil, condition: condition, in: &table)
        #expect(signals.nextUnsettled(in: &table) == 2)
        #expect(signals.unsettledAt != nil)
        while signals.nextUnsettled(in: &table) != nil {}
        #expect(signals.unsettledAt == nil)
    }

    /// All that are to be looked at after a level changed.
    private mutating func unsettled(by signal: SignalIndex) -> [SlotNumber] {
        _ = signals.unsettle(signal, at: Instant(usec: 1))
        var slots: [SlotNumber] = []
        while let slot = signals.nextUnsettled(in: &table) { slots.append(slot) }
        return slots
    }

    @Test
    mutating func countsWhoIsHeld() {
        let index = signals.append(Self.record(.network))
        signals.countHeld(1, for: index)
        signals.countHeld(1, for: index)
        signals.countHeld(-1, for: index)
        #expect(signals.heldCount(index) == 1)
    }

    @Test
    func aSignalKeepsItsName() async {
        await #expect(processExitsWith: .failure) {
            var test = SignalTableTests()
            _ = test.signals.append(SignalTableTests.record(.network))
            test.signals.set(0, to: SignalTableTests.record(.ownForeground))
        }
    }
}
