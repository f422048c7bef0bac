import RetryModel
import Support
import Testing

@testable import RetryStore

/// What changes seldom comes back as it was told, and goes when it is taken back.
@Suite
struct StoreBatchWritesTests {
    private static let pause = PauseRecord(
        scope: PauseScope(owner: 7, queue: "mail", destination: "mx1", credential: "c"),
        author: 8, reason: "upgrade", since: WallTime(usec: 9), until: Instant(usec: 10))

    private static var destination: DestinationRecord {
        var record = DestinationRecord(
            name: DestinationName(name: "mx1", owner: 7), tokensMilli: 499_001,
            tokensAt: Instant(usec: 11), since: WallTime(usec: 12))
        record.breaker = .halfOpen
        record.until = Instant(usec: 13)
        record.openings = 3
        record.failures = 4
        record.probe = OperationID(rawValue: 14)
        return record
    }

    @Test
    func pausesAndDestinationsComeBackAsTheyWere() throws {
        let directory = try TemporaryDirectory()
        let plain = PauseRecord(
            scope: PauseScope(), author: 0, reason: "", since: WallTime(usec: 1))
        let shared = DestinationRecord(
            name: DestinationName(name: "api", owner: nil), tokensMilli: 0,
            tokensAt: Instant(usec: 1), since: WallTime(usec: 2))
        try Store.with(directory.path) { store in
            try store.commit { batch in
                batch.savePause(3, Self.pause)
                batch.savePause(4, plain)
                batch.saveDestination(0, Self.destination)
                batch.saveDestination(5, shared)
            }
        }
        var recovered = try Store.recovered(directory.path)
        #expect(recovered.pauses == [3: Self.pause, 4: plain])
        #expect(recovered.destinations == [0: Self.destination, 5: shared])
        try Store.with(directory.path) { store in
            try store.commit { batch in
                batch.removePause(3)
                batch.removeDestination(0)
            }
        }
        recovered = try Store.recovered(directory.path)
        #expect(recovered.pauses == [4: plain])
        #expect(recovered.destinations == [5: shared])
    }

    @Test
    func numbersOfLanesAndSignalsAreGivenBack() throws {
        let directory = try TemporaryDirectory()
        let lane = Lane(owner: 1, group: 1, queue: "q", kind: .custom, scope: "user:1")
        let signal = SignalRecord(
            name: .network, isOn: true, setter: 0, changedAt: Instant(usec: 1),
            changedAtWall: WallTime(usec: 1))
        try Store.with(directory.path) { store in
            try store.commit { batch in
                batch.saveSignal(0, signal)
                batch.saveLane(0, lane)
                batch.saveLane(1, lane)
                batch.removeLane(0)
                batch.removeSignal(0)
            }
        }
        let recovered = try Store.recovered(directory.path)
        #expect(recovered.lanes == [1: lane])
        #expect(recovered.signals == [:])
    }
}
