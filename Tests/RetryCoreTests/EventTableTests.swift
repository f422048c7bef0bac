import RetryModel
import Testing

@testable import RetryCore

@Suite
struct EventTableTests {
    private var events = EventTable()

    private static func id(_ number: Int64) -> OperationID { OperationID(rawValue: number) }

    @Test
    mutating func remembersWhoseEventItIs() {
        events.insert(11, Self.id(1))
        events.insert(12, Self.id(1))
        events.insert(13, Self.id(2))
        #expect(events.operation(of: 11) == Self.id(1))
        #expect(events.operation(of: 12) == Self.id(1))
        #expect(events.operation(of: 13) == Self.id(2))
        #expect(events.operation(of: 14) == nil)
        #expect(events.count == 3)
        #expect(events.nextExpiry == nil)
        events.checkInvariants()
    }

    @Test
    mutating func allEventsOfAGoneOperationAreMarked() {
        for hash in 1...40 as ClosedRange<UInt64> { events.insert(hash, Self.id(1)) }
        events.insert(99, Self.id(2))
        var marked: Set<UInt64> = []
        while let hash = events.markNextGone(Self.id(1), until: Instant(usec: 50)) {
            marked.insert(hash)
            events.checkInvariants()
        }
        #expect(marked == Set(1...40))
        #expect(events.goneCount == 40)
        #expect(events.nextExpiry == Instant(usec: 50))
        // They still answer.
        #expect(events.operation(of: 7) == Self.id(1))
        #expect(events.markNextGone(Self.id(3), until: Instant(usec: 50)) == nil)
    }

    @Test
    mutating func forgetsInTheOrderOfTheirEnds() {
        events.insert(1, Self.id(1))
        events.insert(2, Self.id(2), until: Instant(usec: 30))
        events.insert(3, Self.id(3), until: Instant(usec: 10))
        #expect(events.markNextGone(Self.id(1), until: Instant(usec: 20)) == 1)
        #expect([events.forgetNext(), events.forgetNext(), events.forgetNext()] == [3, 1, 2])
        #expect(events.count == 0)
        #expect(events.operation(of: 1) == nil)
        events.checkInvariants()
    }

    @Test
    mutating func placesAreUsedAgain() {
        for round in 0..<100 as Range<Int64> {
            events.insert(UInt64(round), Self.id(round))
            #expect(events.markNextGone(Self.id(round), until: Instant(usec: 1)) == UInt64(round))
            #expect(events.forgetNext() == UInt64(round))
            events.checkInvariants()
        }
        #expect(events.count == 0)
    }

    @Test
    func anEventIsInsertedOnce() async {
        await #expect(processExitsWith: .failure) {
            var events = EventTable()
            events.insert(1, OperationID(rawValue: 1))
            events.insert(1, OperationID(rawValue: 2))
        }
    }
}
