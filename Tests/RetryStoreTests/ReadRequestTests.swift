import RetryModel
import Support
import Testing

@testable import RetryStore

@Suite
struct ReadRequestTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func read(
        _ store: Store, _ kind: ReadRequest.Kind, _ id: Int64, _ check: (ReadResult) -> Void
    ) throws {
        let completion = try store.commit { batch in
            batch.read(ReadRequest(tag: 42, kind, of: OperationID(rawValue: id)))
        }
        var count = 0
        completion.forEachRead { result in
            count += 1
            #expect(result.tag == 42)
            #expect(result.id.rawValue == id)
            check(result)
        }
        #expect(count == 1)
    }

    private func newestFailure(_ store: Store, _ id: Int64) throws -> String? {
        var failure: String?
        try read(store, .newestFailure, id) { result in
            if case .failure(let bytes) = result.content {
                failure = String(decoding: bytes, as: UTF8.self)
            }
        }
        return failure
    }

    private func attempts(_ store: Store, _ id: Int64) throws -> [UInt32: Attempt] {
        var attempts: [UInt32: Attempt] = [:]
        try read(store, .attempts, id) { result in
            guard case .attempts(let list) = result.content else { return }
            #expect(list.map(\.number) == list.map(\.number).sorted())
            for (number, parts) in list { attempts[number] = Attempt(parts) }
        }
        return attempts
    }

    /// For telling known events no payload and no failure is read, however long they are.
    @Test
    func decisionsAreReadWithoutTheirFailures() throws {
        try Store.with(directory.path) { store in
            let long = Array(repeating: UInt8(ascii: "x"), count: 100_000)
            try store.commit { batch in
                long.withUnsafeBytes { long in
                    Array("decided".utf8).withUnsafeBytes { decision in
                        batch.save(.sample(1))
                        batch.saveBody(
                            OperationID(rawValue: 1),
                            BodyParts(payload: long, failure: long, decision: decision))
                        batch.saveAttempt(
                            OperationID(rawValue: 1),
                            AttemptParts(
                                outcome: 1, at: WallTime(usec: 1), user: 1, failure: long,
                                decision: decision))
                    }
                }
            }
            try read(store, .told, 1) { result in
                guard case .body(let parts) = result.content else {
                    Issue.record("\(result)")
                    return
                }
                #expect(parts.payload.isEmpty && parts.failure.isEmpty)
                #expect(parts.decision.elementsEqual("decided".utf8))
            }
            try read(store, .decisions, 1) { result in
                guard case .attempts(let attempts) = result.content else {
                    Issue.record("\(result)")
                    return
                }
                #expect(attempts.map(\.number) == [2])
                #expect(attempts[0].parts.failure.isEmpty)
                #expect(attempts[0].parts.decision.elementsEqual("decided".utf8))
            }
        }
    }

    /// Reads see the writes of their own batch, and come in the order asked for.
    @Test
    func readsSeeTheirBatch() throws {
        try Store.with(directory.path) { store in
            try store.commit { batch in batch.add(1, Body("old")) }
            let completion = try store.commit { batch in
                batch.read(ReadRequest(tag: 7, .body, of: OperationID(rawValue: 2)))
                batch.read(ReadRequest(tag: 8, .body, of: OperationID(rawValue: 1)))
                batch.read(ReadRequest(tag: 9, .body, of: OperationID(rawValue: 3)))
                batch.add(2, Body("new"))
                batch.replaceBody(1, Body("newer"))
            }
            var seen: [String] = []
            completion.forEachRead { result in
                switch result.content {
                case .body(let parts): seen.append("\(result.tag) \(Body(parts).payload.count)")
                case .missing: seen.append("\(result.tag) missing")
                case .failure, .attempts, .failed: Issue.record("a body was asked for")
                }
            }
            #expect(seen == ["7 3", "8 5", "9 missing"])
        }
    }

    @Test
    func aBodyComesWhole() throws {
        try Store.with(directory.path) { store in
            try store.commit { batch in batch.add(5, BodyPartsTests.full) }
            #expect(try store.body(5) == BodyPartsTests.full)
        }
    }

    @Test
    func attributesComeWithoutTheRest() throws {
        var expected = BodyPartsTests.full
        expected.payload = []
        expected.failure = ""
        expected.decision = ""
        try Store.with(directory.path) { store in
            try store.commit { batch in batch.add(5, BodyPartsTests.full) }
            var body: Body?
            try read(store, .attributes, 5) { result in
                if case .body(let parts) = result.content { body = Body(parts) }
            }
            #expect(body == expected)
        }
    }

    /// Neighbours are read from one row; every order and repetition must work.
    @Test
    func manyBodiesOfOneRow() throws {
        try Store.with(directory.path) { store in
            try store.commit { batch in
                for id in Int64(1)...40 where id % 3 != 0 { batch.add(id, Body("p\(id)")) }
            }
            let order: [Int64] = [1, 2, 40, 38, 39, 2, 2, 3, 4, 1, 41, 40, 20, 0, 5]
            let completion = try store.commit { batch in
                for id in order {
                    batch.read(ReadRequest(tag: 0, .body, of: OperationID(rawValue: id)))
                }
            }
            var seen: [String?] = []
            completion.forEachRead { result in
                if case .body(let parts) = result.content {
                    seen.append(String(decoding: parts.payload, as: UTF8.self))
                } else {
                    seen.append(nil)
                }
            }
            let expected = order.map { id in
                (1...40).contains(id) && id % 3 != 0 ? "p\(id)" : nil
            }
            #expect(seen == expected)
        }
    }

    @Test
    func theNewestFailureIsTheOneDecidedLast() throws {
        try Store.with(directory.path) { store in
            #expect(try newestFailure(store, 1) == nil)
            try store.commit { batch in batch.add(1, BodyPartsTests.full) }
            #expect(try newestFailure(store, 1) == BodyPartsTests.full.failure)
            var second = Attempt(failure: "second")
            second.decision = "decided"
            try store.commit { batch in batch.saveAttempt(1, second) }
            try store.commit { batch in batch.saveAttempt(1, Attempt(failure: "")) }
            // Told too late to be decided.
            try store.commit { batch in batch.saveAttempt(1, Attempt(failure: "stale")) }
            #expect(try newestFailure(store, 1) == "second")
            try store.commit { batch in batch.add(2, Body("no failure")) }
            #expect(try newestFailure(store, 2) == nil)
        }
    }

    @Test
    func attemptsAreNumberedFromTwo() throws {
        try Store.with(directory.path) { store in
            #expect(try attempts(store, 1) == [:])
            try store.commit { batch in
                batch.saveAttempt(1, AttemptPartsTests.full)
                batch.saveAttempt(2, Attempt(failure: "other"))
                batch.saveAttempt(1, Attempt(failure: "b"))
            }
            #expect(
                try attempts(store, 1) == [2: AttemptPartsTests.full, 3: Attempt(failure: "b")])
            #expect(try attempts(store, 2) == [2: Attempt(failure: "other")])
        }
    }

    @Test
    func onlyTheNewestAttemptsAreKept() throws {
        let total = UInt32(Limits.attemptsKeptMax + 10)
        try Store.with(directory.path) { store in
            try store.commit { batch in
                for number in 2...total { batch.saveAttempt(1, Attempt(failure: "f\(number)")) }
            }
            // With the first, which is in the body, as many as may be kept.
            let kept = (total - UInt32(Limits.attemptsKeptMax) + 2)...total
            #expect(Set(try attempts(store, 1).keys) == Set(kept))
            #expect(try attempts(store, 1)[total] == Attempt(failure: "f\(total)"))
        }
    }

    @Test
    func aRowThatCannotBeReadIsTold() throws {
        try Store.with(directory.path) { store in
            try store.commit { batch in batch.add(1, Body("x")) }
        }
        let database = try Database(
            path: "\(directory.path)/\(StoreFile.databaseName)", mayCreate: false)
        try database.execute("UPDATE body SET chunk = x'0102'")
        try Store.with(directory.path) { store in
            var message = ""
            try read(store, .body, 1) { result in
                if case .failed(let error) = result.content { message = error.description }
            }
            #expect(
                message
                    == "store: its content is damaged (the body of operation 1 is malformed)")
        }
    }
}
