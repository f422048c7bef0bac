import RetryModel
import SystemKit
import Testing

@testable import RetryCore

/// The tables in docs/STATES.md and the code say the same: every cell is run.
@Suite
struct StateTablesTests {
    private let document: StatesDocument
    private static let states = OperationState.allCases

    init() throws {
        document = try StatesDocument()
    }

    private static func name(_ state: OperationState) -> String { state.name.description }

    // MARK: States × events

    @Test
    func everyCellOfStatesAndEvents() throws {
        let table = try document.table(under: "States × events")
        #expect(table.head == ["event"] + Self.states.map { Self.name($0) })
        #expect(Set(table.rows.map { $0[0] }) == Set(StateEvent.all.keys))
        #expect(table.rows.count == StateEvent.all.count)
        for row in table.rows {
            let event = try #require(StateEvent.all[row[0]], "no event \(row[0])")
            for (state, cell) in zip(Self.states, row.dropFirst()) {
                let outcome = try outcome(of: event, on: state)
                #expect(outcome == cell, "\(row[0]) × \(Self.name(state))")
            }
        }
    }

    private func outcome(of event: StateEvent, on state: OperationState) throws -> String {
        guard var specimen = try Specimen.make(state, event.setting(state)) else { return "–" }
        do {
            try event.act(&specimen, state)
        } catch let refusal as Refusal {
            #expect(specimen.fixture.state(specimen.id) == state, "a refusal changed the state")
            #expect(specimen.fixture.effects.all.isEmpty, "a refusal had effects")
            return Self.word(refusal, state)
        }
        specimen.fixture.core.checkInvariants()
        guard let after = specimen.fixture.state(specimen.id) else { return "removed" }
        return after == state ? "=" : Self.name(after)
    }

    private static func word(_ refusal: Refusal, _ state: OperationState) -> String {
        switch refusal {
        case .staleLease(let told): told == state ? "stale-lease" : "stale-lease of \(told)"
        case .wrongState(let told): told == state ? "wrong-state" : "wrong-state of \(told)"
        case .noSuchOperation, .permissionDenied, .quotaExceeded, .invalidParameter,
            .storeUnavailable:
            "\(refusal)"
        }
    }

    /// Every method of the scheduler that takes part is in the table or in the table of keys.
    @Test
    func everyEventIsInTheDocument() throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let folder = root + "/Sources/RetryCore/Scheduler"
        // Taking in what was stored before the operations; no operation is there yet.
        let beginnings: Set = [
            "laneRestored", "signalRestored", "policyNameRestored", "eventRestored", "idsRestored",
            "recovered",
        ]
        var events: Set<String> = []
        // Looks change nothing and have files of their own.
        let looks: Set = ["Scheduler+Why.swift", "Scheduler+Peek.swift"]
        for file in try Files.list(folder)
        where file.hasPrefix("Scheduler") && !looks.contains(file) {
            let bytes = try Files.readAll(folder + "/" + file, bytesMax: 1 << 20)
            let text = String(decoding: bytes, as: UTF8.self)
            for line in text.split(separator: "\n") {
                let parts = line.split(separator: " ").map { String($0) }
                guard parts.starts(with: ["package", "mutating", "func"]) else { continue }
                events.insert(String(parts[3].prefix { $0 != "(" }))
            }
        }
        #expect(events.isSuperset(of: beginnings))
        #expect(events.count > 15)
        for event in events.subtracting(beginnings) {
            #expect(document.mentions(event), "\(event) is not in docs/STATES.md")
        }
    }

    // MARK: Keys

    @Test
    func everyCellOfKeysAndModes() throws {
        let table = try document.table(under: "Key × mode × state")
        #expect(table.head == ["mode"] + Self.states.map { Self.name($0) })
        #expect(
            Set(table.rows.map { $0[0] }) == Set(KeyMode.allCases.map { $0.name.description }))
        for row in table.rows {
            let mode = try #require(KeyMode.allCases.first { $0.name.description == row[0] })
            for (state, cell) in zip(Self.states, row.dropFirst()) {
                #expect(
                    try outcome(of: mode, on: state) == cell, "\(row[0]) × \(Self.name(state))")
            }
        }
    }

    private func outcome(of mode: KeyMode, on state: OperationState) throws -> String {
        var specimen = try #require(try Specimen.make(state, Specimen.Setting()))
        let before = try specimen.fixture.record(specimen.id)
        let order = Fixture.Order(
            destination: "elsewhere", keyHash: Specimen.keyHash, priority: 5)
        guard
            let id = specimen.fixture.core.operations(withKeyHash: Specimen.keyHash).first
        else {
            let new = try specimen.fixture.submit(order).id
            return new == specimen.id ? "the same" : "new"
        }
        #expect(id == specimen.id)
        let outcome = specimen.fixture.submitAgain(id, mode, order)
        let after = try specimen.fixture.record(id)
        switch outcome {
        case .existing:
            var expected = before
            if mode == .coalesce { expected.priority = 5 }
            #expect(after == expected)
            #expect(specimen.fixture.state(id) == state)
            return "existing"
        case .revived:
            try checkFresh(specimen, after)
            return "revived"
        case .replaced:
            try checkFresh(specimen, after)
            #expect(!after.isTokenOpen)
            return "replaced"
        }
    }

    private func checkFresh(_ specimen: Specimen, _ after: OperationRecord) throws {
        #expect(specimen.fixture.state(specimen.id) == .scheduled)
        #expect(specimen.fixture.core.lane(after.lane).destination == "elsewhere")
        #expect(after.attempts == 1)
        #expect(after.recoveries == 0)
        #expect(after.cause == .none)
        #expect(after.firstFailure == specimen.fixture.now.wall)
    }

    // MARK: Words

    @Test
    func everyStateIsExplained() throws {
        let table = try document.table(under: "What the states mean")
        #expect(table.rows.map { $0[0] } == Self.states.map { "`\(Self.name($0))`" })
    }

    @Test
    func everyReasonIsExplained() throws {
        let samples: [Reason] = [
            .pausedBy(0, reason: "", until: nil), .credentialHeld("c", until: .never),
            .signal(.network, until: .never), .serverSaidUntil(.never),
            .clockUntrusted(until: .never), .backoffUntil(.never),
            .breakerOpen(destination: "d", until: .never),
            .budgetEmpty(destination: "d", until: .never), .quota(destination: "d", max: 1),
            .noWorker(queue: "q"),
            .leasedBy(Fixture.worker, until: .never), .needsOwner(.newFlow, until: .never),
            .dead(.permanent), .ended,
        ]
        let table = try document.table(under: "Reasons")
        #expect(table.rows.map { $0[0] } == samples.map { $0.code.description })
        for (row, sample) in zip(table.rows, samples) {
            let mayEnd = sample.until != nil || row[0] == "paused-by"
            #expect((row[2] == "–") != mayEnd, "\(row[0])")
            let states = row[1].split { ", ".contains($0) }.map { String($0) }
            #expect(states == Self.states(of: sample).map { Self.name($0) }, "\(row[0])")
        }
    }

    /// The states in which a reason is the primary one. No `default`: a new reason must be told.
    private static func states(of reason: Reason) -> [OperationState] {
        switch reason {
        case .backoffUntil, .serverSaidUntil, .clockUntrusted, .breakerOpen: [.scheduled]
        case .budgetEmpty: [.scheduled, .held]
        case .signal, .credentialHeld, .pausedBy: [.held]
        case .noWorker, .quota: [.ready]
        case .leasedBy: [.leased]
        case .needsOwner: [.parked]
        case .dead: [.dead]
        case .ended: [.succeeded, .cancelled]
        }
    }

    @Test
    func everyCauseIsNamed() throws {
        let parked = Cause.allCases.filter { (1..<16).contains($0.rawValue) }
        let dead = Cause.allCases.filter { $0.rawValue >= 16 }
        #expect(
            try document.causes(of: "parked") == Set(parked.map { $0.name.description }))
        #expect(try document.causes(of: "dead") == Set(dead.map { $0.name.description }))
    }
}
