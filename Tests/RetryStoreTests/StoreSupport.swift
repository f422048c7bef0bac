import RetryModel
import Support
import SystemKit
import Testing

@testable import RetryStore

/// Everything a store gave at recovery.
struct Recovered: StoreVisitor {
    struct Rule: Hashable {
        var name: String
        var packHash: UInt64
    }

    struct Event: Hashable {
        var operation: OperationID
        var until: Instant?
    }

    var facts: StoreFacts?
    var rules: [RuleIndex: Rule] = [:]
    var policyNames: [PolicyIndex: String] = [:]
    var lanes: [LaneIndex: Lane] = [:]
    var destinations: [DestinationIndex: DestinationRecord] = [:]
    var pauses: [PauseIndex: PauseRecord] = [:]
    var signals: [SignalIndex: SignalRecord] = [:]
    var events: [UInt64: Event] = [:]
    /// In the order in which they came.
    var operations: [OperationRecord] = []

    var ids: [Int64] { operations.map(\.id.rawValue) }

    mutating func facts(_ facts: StoreFacts) { self.facts = facts }
    mutating func rule(_ index: RuleIndex, name: String, packHash: UInt64) {
        rules[index] = Rule(name: name, packHash: packHash)
    }
    mutating func policyName(_ index: PolicyIndex, _ name: String) { policyNames[index] = name }
    mutating func lane(_ index: LaneIndex, _ lane: Lane) { lanes[index] = lane }
    mutating func destination(_ index: DestinationIndex, _ destination: DestinationRecord) {
        destinations[index] = destination
    }
    mutating func pause(_ index: PauseIndex, _ pause: PauseRecord) { pauses[index] = pause }
    mutating func signal(_ index: SignalIndex, _ signal: SignalRecord) { signals[index] = signal }
    mutating func event(_ hash: UInt64, _ id: OperationID, until: Instant?) {
        events[hash] = Event(operation: id, until: until)
    }
    mutating func operation(_ record: OperationRecord) { operations.append(record) }
}

extension Store {
    /// Opens, gives the store to the body with its thread running, stops it.
    @discardableResult
    static func with<Result>(
        _ directory: String, schema: Schema = .current, _ body: (Store) throws -> Result
    ) throws -> Result {
        let store = try Store(directory: directory, schema: schema)
        try store.start()
        defer { store.stop() }
        return try body(store)
    }

    func recovered() throws -> Recovered {
        var recovered = Recovered()
        try recover(into: &recovered)
        return recovered
    }

    static func recovered(_ directory: String) throws -> Recovered {
        try Store(directory: directory).recovered()
    }

    static func body(_ id: Int64, in directory: String) throws -> Body? {
        try with(directory) { store in try store.body(id) }
    }

    /// Hands a batch over and waits for its end.
    @discardableResult
    func carryOut(_ fill: (inout StoreBatch) -> Void) throws -> StoreCompletion {
        var batch = makeBatch(sequence: 1)
        fill(&batch)
        submit(batch)
        return try awaitCompletion(.batch)
    }

    /// The same for what must work.
    @discardableResult
    func commit(_ fill: (inout StoreBatch) -> Void) throws -> StoreCompletion {
        let completion = try carryOut(fill)
        if case .failed(let error) = completion.outcome { throw error }
        return completion
    }

    func awaitCompletion(_ kind: StoreCompletion.Kind) throws -> StoreCompletion {
        while true {
            let isReady = try Syscalls.wait(for: completionFD, .readable, timeoutMs: 60_000)
            try #require(isReady, "no completion within a minute")
            if let completion = takeCompletions().first(where: { $0.kind == kind }) {
                return completion
            }
        }
    }

    func body(_ id: Int64) throws -> Body? {
        let completion = try commit { batch in
            batch.read(ReadRequest(tag: 0, .body, of: OperationID(rawValue: id)))
        }
        var body: Body?
        completion.forEachRead { result in
            if case .body(let parts) = result.content { body = Body(parts) }
        }
        return body
    }
}

extension StoreCompletion {
    var error: StoreError? {
        if case .failed(let error) = outcome { error } else { nil }
    }
}

/// `BodyParts` that hold what they show.
struct Body: Hashable {
    var form = PayloadForm.none
    var key = ""
    var eventID = ""
    var attributes = ""
    var payload: [UInt8] = []
    var failure = ""
    var decision = ""

    init(_ payload: String) {
        form = .text
        self.payload = Array(payload.utf8)
    }

    init() {}

    init(_ parts: BodyParts) {
        form = parts.payloadForm
        key = String(decoding: parts.key, as: UTF8.self)
        eventID = String(decoding: parts.eventID, as: UTF8.self)
        attributes = String(decoding: parts.attributes, as: UTF8.self)
        payload = Array(parts.payload)
        failure = String(decoding: parts.failure, as: UTF8.self)
        decision = String(decoding: parts.decision, as: UTF8.self)
    }

    func withParts<Result>(_ use: (BodyParts) throws -> Result) rethrows -> Result {
        let texts = [key, eventID, attributes, failure, decision].map { Array($0.utf8) }
        return try texts[0].withUnsafeBytes { key in
            try texts[1].withUnsafeBytes { eventID in
                try texts[2].withUnsafeBytes { attributes in
                    try texts[3].withUnsafeBytes { failure in
                        try texts[4].withUnsafeBytes { decision in
                            try payload.withUnsafeBytes { payload in
                                try use(
                                    BodyParts(
                                        payloadForm: form, key: key, eventID: eventID,
                                        attributes: attributes, payload: payload,
                                        failure: failure, decision: decision))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// `AttemptParts` that hold what they show.
struct Attempt: Hashable {
    var outcome: UInt8 = 0
    var at = WallTime(usec: 0)
    var user: UserID = 0
    var eventID = ""
    var failure = ""
    var decision = ""

    init(failure: String) { self.failure = failure }

    init(_ parts: AttemptParts) {
        outcome = parts.outcome
        at = parts.at
        user = parts.user
        eventID = String(decoding: parts.eventID, as: UTF8.self)
        failure = String(decoding: parts.failure, as: UTF8.self)
        decision = String(decoding: parts.decision, as: UTF8.self)
    }

    func withParts<Result>(_ use: (AttemptParts) throws -> Result) rethrows -> Result {
        let texts = [eventID, failure, decision].map { Array($0.utf8) }
        return try texts[0].withUnsafeBytes { eventID in
            try texts[1].withUnsafeBytes { failure in
                try texts[2].withUnsafeBytes { decision in
                    try use(
                        AttemptParts(
                            outcome: outcome, at: at, user: user, eventID: eventID,
                            failure: failure, decision: decision))
                }
            }
        }
    }
}

extension StoreBatch {
    mutating func saveBody(_ id: Int64, _ body: Body) {
        body.withParts { saveBody(OperationID(rawValue: id), $0) }
    }

    mutating func replaceBody(_ id: Int64, _ body: Body) {
        body.withParts { replaceBody(OperationID(rawValue: id), $0) }
    }

    mutating func saveAttempt(_ id: Int64, _ attempt: Attempt) {
        attempt.withParts { saveAttempt(OperationID(rawValue: id), $0) }
    }

    /// Record and body of a new operation.
    mutating func add(_ id: Int64, _ body: Body) {
        save(.sample(id))
        saveBody(id, body)
    }
}

extension OperationRecord {
    static func sample(_ id: Int64) -> OperationRecord {
        OperationRecord(
            id: OperationID(rawValue: id), lane: 1, firstFailure: WallTime(usec: 1_000 + id),
            due: Instant(usec: 2_000 + id))
    }

    /// Every field has a value of its own, and none its default.
    static let full: OperationRecord = {
        var record = OperationRecord(
            id: OperationID(rawValue: 77), lane: 0x0102_0304,
            firstFailure: WallTime(usec: 0x1112_1314_1516_1718),
            due: Instant(usec: 0x2122_2324_2526_2728))
        record.firstFailedAt = Instant(usec: 0x6162_6364_6566_6768)
        record.state = .leased
        record.cause = .foregroundLoop
        record.priority = -3
        record.isIdempotent = false
        record.retriesUnknown = true
        record.dueWall = WallTime(usec: 0x3132_3334_3536_3738)
        record.since = WallTime(usec: 0x4142_4344_4546_4748)
        record.deadline = WallTime(usec: 0x5152_5354_5556_5758)
        record.keyHash = 0xf1f2_f3f4_f5f6_f7f8
        record.condition = 0x6162_6364
        record.attempts = 0x7172
        record.deferrals = 0x7374
        record.recoveries = 0x75
        record.size = StoredSize(rawValue: 0x78)
        record.ruleRepeats = 0x76
        record.foregroundRepeats = 0x77
        record.rule = 0x7879
        record.policy = 0x7a7b
        record.previousDelayMs = 0x8182_8384
        record.token = LeaseToken(rawValue: 0x9192_9394)
        record.isTokenOpen = true
        record.lease = LeaseRecord(
            holder: LeaseHolder(
                user: 0xa1a2_a3a4, process: 0x2bb2_b3b4, startTicks: 0xc1c2_c3c4_c5c6_c7c8),
            visibility: Span(usec: 0x0d0d_0d0d_0d0d_0d0d),
            startedAt: WallTime(usec: 0x0e0e_0e0e_0e0e_0e0e), credentialGeneration: 0xe1e2_e3e4,
            hadForeground: true)
        return record
    }()
}

extension UnsafeRawBufferPointer {
    var hex: String {
        map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }.joined()
    }
}
