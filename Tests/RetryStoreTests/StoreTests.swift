import RetryModel
import Support
import SystemKit
import Testing

@testable import RetryStore

/// Whole stores on a real disk: what is written comes back.
@Suite
struct StoreTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test
    func anEmptyStoreHasASecretOfItsOwn() throws {
        let facts = try #require(try Store.recovered(directory.path).facts)
        #expect(facts.secret != 0)
        #expect(facts.secret != facts.secret2)
        #expect(facts.idsReservedThrough == 0)
        #expect(facts.anchor == nil)
        #expect(try Store.recovered(directory.path).facts == facts)
        let other = try TemporaryDirectory()
        #expect(try Store.recovered(other.path).facts?.secret != facts.secret)
    }

    @Test
    func recordsComeBackInOrderAsTheyWereLastSaved() throws {
        var changed = OperationRecord.sample(2)
        changed.state = .dead
        try Store.with(directory.path) { store in
            try store.commit { batch in
                batch.save(.full)
                batch.save(.sample(2))
                batch.save(.sample(3))
            }
            try store.commit { batch in batch.save(changed) }
        }
        let recovered = try Store.recovered(directory.path)
        #expect(recovered.operations == [changed, .sample(3), .full])
        #expect(recovered.facts?.idsReservedThrough == OperationRecord.full.id.rawValue)
    }

    @Test
    func smallTablesComeBack() throws {
        let plain = Lane(owner: 0, group: 0, queue: "command", kind: .command, scope: "user:0")
        let full = Lane(
            owner: .max, group: 7, queue: "mail.send", kind: .http, destination: "example.com",
            credential: "oauth:a@b", scope: "app:x", policy: "slow")
        let signals: [SignalRecord] = [
            .foreground(scope: "user:5", owner: 0), .network, .credential(name: "c", owner: 6),
            .custom(name: "vpn up", owner: .max),
        ].enumerated().map { index, name in
            SignalRecord(
                name: name, isOn: index % 2 == 0, setter: UserID(index),
                changedAt: Instant(usec: 5), changedAtWall: WallTime(usec: -6),
                until: index == 0 ? nil : Instant(usec: 7), generation: .max,
                whileAlive: index == 3
                    ? LeaseHolder(user: .max, process: .max, startTicks: .max) : nil)
        }
        let anchor = BootAnchor(
            bootID: "3a70c1b0-0000-4000-8000-000000000000", number: 3, base: Span(usec: -5),
            lastWall: WallTime(usec: 10), lastInstant: Instant(usec: 11),
            isWallTrusted: false,
            earlier: BootAnchor.Earlier(wall: WallTime(usec: 8), instant: Instant(usec: 9)))
        try Store.with(directory.path) { store in
            try store.commit { batch in
                batch.saveLane(1, plain)
                batch.saveLane(.max, full)
                for (index, signal) in signals.enumerated() {
                    batch.saveSignal(SignalIndex(index), signal)
                }
                batch.saveRule(.max, name: "http 503", packHash: .max)
                batch.savePolicyName(2, "slow")
                batch.saveEvent(.max, OperationID(rawValue: 9), until: nil)
                batch.saveEvent(4, OperationID(rawValue: 8), until: Instant(usec: 12))
                batch.saveEvent(5, OperationID(rawValue: 9), until: nil)
                batch.removeEvent(5)
                batch.saveAnchor(
                    BootAnchor(
                        bootID: "old", number: 2, base: .zero, lastWall: WallTime(usec: 0),
                        lastInstant: Instant(usec: 0), isWallTrusted: true))
                batch.saveAnchor(anchor)
                batch.reserveIDs(through: 4_096)
                batch.reserveIDs(through: 8)
            }
        }
        let recovered = try Store.recovered(directory.path)
        #expect(recovered.lanes == [1: plain, .max: full])
        #expect(recovered.signals == [0: signals[0], 1: signals[1], 2: signals[2], 3: signals[3]])
        #expect(recovered.rules == [.max: Recovered.Rule(name: "http 503", packHash: .max)])
        #expect(recovered.policyNames == [2: "slow"])
        #expect(
            recovered.events == [
                .max: Recovered.Event(operation: OperationID(rawValue: 9), until: nil),
                4: Recovered.Event(
                    operation: OperationID(rawValue: 8), until: Instant(usec: 12)),
            ])
        #expect(recovered.facts?.anchor == anchor)
        #expect(recovered.facts?.idsReservedThrough == 4_096)
    }

    @Test
    func completionsComeInOrderAndTellTheirNumber() throws {
        try Store.with(directory.path) { store in
            #expect(store.isIdle)
            for sequence in UInt64(1)...20 {
                while !store.canSubmit { try awaitOne(store) }
                var batch = store.makeBatch(sequence: sequence)
                batch.save(.sample(Int64(sequence)))
                store.submit(batch)
                #expect(!store.isIdle)
            }
            while !store.isIdle { try awaitOne(store) }
        }
        #expect(try Store.recovered(directory.path).ids == Array(1...20))
    }

    private func awaitOne(_ store: Store) throws {
        #expect(try Syscalls.wait(for: store.completionFD, .readable, timeoutMs: 60_000))
        for completion in store.takeCompletions() {
            #expect(completion.error == nil)
            store.recycle(completion.batch)
        }
    }

    @Test
    func stoppingCarriesOutWhatWasHandedOver() throws {
        let store = try Store(directory: directory.path)
        try store.start()
        for sequence in UInt64(1)...2 {
            var batch = store.makeBatch(sequence: sequence)
            batch.save(.sample(Int64(sequence)))
            store.submit(batch)
        }
        store.stop()
        #expect(store.takeCompletions().map(\.sequence) == [1, 2])
        #expect(store.isIdle)
        // The connection is this thread's again, and a second start works.
        #expect(try store.recovered().ids == [1, 2])
        try store.start()
        try store.commit { batch in batch.save(.sample(3)) }
        store.stop()
        #expect(try store.recovered().ids == [1, 2, 3])
    }

    @Test
    func filesAreTheOwnersAlone() throws {
        try Store.with(directory.path) { store in
            try store.commit { batch in batch.save(.sample(1)) }
            for name in try Files.list(directory.path) {
                #expect(try Files.status("\(directory.path)/\(name)")?.mode == 0o600, "\(name)")
            }
        }
    }
}
