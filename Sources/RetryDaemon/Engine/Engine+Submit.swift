import JSON
import RetryConfig
import RetryCore
import RetryExplain
import RetryModel
import RetryRules
import RetryStore
import SystemKit
import Varlink

/// What Submit answers.
struct Submitted {
    var id: OperationID
    /// Nil: an existing operation goes on as it was.
    var decision: Decision?
    /// The first decision on an event told again, as it is stored.
    var storedDecision: [UInt8]?
    var isExisting = false
    var isDuplicate = false
}

/// A Submit whose words are judged: everything but its key and event.
struct JudgedSubmit {
    var parameters: SubmitParameters
    var lane: LaneMemo
    var keyHash: UInt64
}

extension Engine {
    func submit(
        _ call: Call, _ frame: UnsafeRawBufferPointer, _ connection: Connection,
        _ resolution: Resolution
    ) throws(CallFailure) {
        try requireStore()
        try requireDisk(connection)
        let parameters = try CallFailure.reading { () throws(ServiceError) in
            try SubmitParameters(call)
        }
        let judged = try judge(parameters, connection)
        let (keys, events) = questions(judged, resolution)
        guard keys.isEmpty, events.isEmpty else {
            return setAside(call, frame, connection, resolution, keys: keys, events: events)
        }
        let submitted = try submit(judged, resolution)
        answer(call, connection) { writer in
            write(submitted, into: &writer, takesWritten: true)
            if let language = parameters.language {
                writer.messagesMember(messages(of: submitted, language: language))
            }
        }
    }

    private func messages(of submitted: Submitted, language: String) -> RuleMessages? {
        if let decision = submitted.decision {
            return messages(of: decision, language: language)
        }
        return submitted.storedDecision.flatMap { messages(of: $0, .none, language: language) }
    }

    // MARK: Judging

    /// Checks what is asked against the interface, the configuration and the caller's rights.
    func judge(
        _ parameters: SubmitParameters, _ connection: Connection
    ) throws(CallFailure) -> JudgedSubmit {
        let operation = parameters.operation
        let lane = try lane(operation.lane, connection)
        try CallFailure.reading { () throws(ServiceError) in
            switch lane.lane.kind {
            case .command: try CommandPayload.check(operation.payload)
            case .unit: try UnitPayload.check(operation.payload)
            case .custom, .http: break
            }
        }
        let keyHash = operation.key.map { key in
            hash(key: key.bytes, owner: lane.lane.owner, queue: lane.lane.queue)
        }
        return JudgedSubmit(parameters: parameters, lane: lane, keyHash: keyHash ?? 0)
    }

    /// The lane that is meant, where the caller may submit to it.
    private func lane(
        _ words: LaneWords, _ connection: Connection
    ) throws(CallFailure) -> LaneMemo {
        if let last = connection.lastLane, last.holds(for: words, settings) { return last }
        let (queue, kind) = try CallFailure.reading { () throws(ServiceError) in
            try queueAndKind(words)
        }
        try checkRights(kind: kind, queue: queue, connection)
        let policy = words.policy?.string
        try CallFailure.reading { () throws(ServiceError) in try self.checkPolicy(policy) }
        let lane = Lane(
            owner: connection.caller.user, group: connection.peer.group, queue: queue, kind: kind,
            destination: words.destination?.string, credential: words.credential?.string,
            scope: try scope(words.scope?.string, connection.caller), policy: policy)
        let memo = LaneMemo(words, lane, settings)
        connection.lastLane = memo
        return memo
    }

    func checkPolicy(_ policy: String?) throws(ServiceError) {
        guard let policy, scheduler.policies.index(named: policy) == nil else { return }
        let known = settings.configuration.policies.map(\.name).joined(separator: ", ")
        throw .invalidParameter("policy", reason: "no policy `\(policy)`; there are \(known)")
    }

    private func queueAndKind(
        _ words: LaneWords
    ) throws(ServiceError) -> (queue: String, kind: Kind) {
        let named = words.queue?.string
        let reserved = named.flatMap { Kind(name: $0) }
        let kind = words.kind ?? reserved ?? .custom
        guard let queue = named ?? kind.reservedQueue else {
            throw Decode.missing("queue")
        }
        if let own = kind.reservedQueue, own != queue {
            throw .invalidParameter("queue", reason: "kind \(kind.name) belongs to queue `\(own)`")
        }
        if kind == .custom, let reserved, reserved != .custom {
            throw .invalidParameter(
                "queue", reason: "`\(queue)` is reserved for kind \(reserved.name)")
        }
        return (queue, kind)
    }

    private func checkRights(
        kind: Kind, queue: String, _ connection: Connection
    ) throws(CallFailure) {
        let configuration = settings.configuration
        let user = connection.caller.user
        switch kind {
        case .command:
            // A daemon of one's own runs commands as oneself only: nothing is gained by it.
            guard user == identity.user || configuration.mayRunCommands(user) else {
                throw .denied(
                    "commands of user \(user) are not taken; list it in `[command] allow-users`")
            }
        case .unit:
            guard connection.caller.isAdmin else {
                throw .denied("kind unit is for root and \(configuration.adminGroupName)")
            }
        case .custom, .http:
            break
        }
        guard configuration.isSubmitter(user, toQueue: queue) else {
            throw .denied(
                "user \(user) is not among the submitters of queue `\(queue)`; "
                    + "see `[queue.\(queue)] submitters`")
        }
    }

    /// The scope in full; one's own foreground when none is given.
    func scope(_ scope: String?, _ caller: Caller) throws(CallFailure) -> String {
        guard let scope else { return "user:\(caller.user)" }
        if scope.hasPrefix("app:"), scope.utf8.count > 4 { return scope }
        guard scope.hasPrefix("user:"), let user = UserID(scope.dropFirst(5)) else {
            throw .service(
                .invalidParameter("scope", reason: "`user:UID` or `app:NAME`, not `\(scope)`"))
        }
        guard caller.isAdmin || user == caller.user else {
            throw .denied("\(scope) is the foreground of another user: it is for that user and "
                + "for \(settings.configuration.adminGroupName)")
        }
        return "user:\(user)"
    }

    // MARK: Key and event

    /// What must be compared on disk before the submit can be carried out.
    func questions(
        _ judged: JudgedSubmit, _ resolution: Resolution
    ) -> (keys: [Question], events: [Question]) {
        var keys: [Question] = []
        var events: [Question] = []
        if let key = judged.parameters.operation.key {
            let candidates = scheduler.operations(withKeyHash: judged.keyHash)
            if !candidates.isEmpty, resolution.keys[judged.keyHash]?.candidates != candidates {
                keys.append(
                    Question(
                        hash: judged.keyHash, text: Array(key.bytes), candidates: candidates))
            }
        }
        if let question = eventQuestion(
            judged.parameters.failure, owner: judged.lane.lane.owner, resolution)
        {
            events.append(question)
        }
        return (keys, events)
    }

    func eventQuestion(
        _ failure: JSONValue?, owner: UserID, _ resolution: Resolution
    ) -> Question? {
        guard let event = failure?["event_id"]?.text, event.count > 0 else { return nil }
        let hash = hash(event: event, owner: owner)
        // Of an operation that is gone nothing is left to compare with.
        guard let candidate = scheduler.operation(ofEvent: hash),
            resolution.events[hash]?.candidate != candidate,
            scheduler.peekStanding(of: candidate) != nil
        else { return nil }
        return Question(hash: hash, text: Array(event.bytes), candidates: [candidate])
    }

    // MARK: Carrying out

    /// Hands a submit to the core whose key and event are compared.
    func submit(
        _ judged: JudgedSubmit, _ resolution: Resolution
    ) throws(CallFailure) -> Submitted {
        let failure = try CallFailure.reading { () throws(ServiceError) in
            try readFailure(of: judged)
        }
        if let submitted = duplicate(failure, resolution) {
            // For whoever looks into it later: who else saw the failure, and when.
            if scheduler.peekStanding(of: submitted.id) != nil {
                saveAttempt(submitted.id, .duplicate, failure, by: judged.lane.lane.owner)
            }
            return submitted
        }
        var submission = submission(judged, eventHash: failure.eventHash)
        let payload = try CallFailure.reading { () throws(ServiceError) in
            try self.payload(of: judged.parameters.operation)
        }
        submission.bytes = payload.count + (judged.parameters.operation.key?.count ?? 0)
            + Limits.summaryBytes / 4
        counters.submits += 1
        submitClock.submitted(at: now.instant, in: filling.sequence)
        if let id = resolution.keys[judged.keyHash]?.match,
            scheduler.operations(withKeyHash: judged.keyHash).contains(id)
        {
            return submitAgain(id, submission, judged, failure, payload)
        }
        let (id, decision) = try CallFailure.acting { () throws(Refusal) in
            try scheduler.operationSubmitted(
                submission, failure.told, now: now, into: &effects)
        }
        saveBody(id, judged, failure, payload, decision, isNew: true)
        carryOutEffects(of: id, decision)
        return Submitted(id: id, decision: decision)
    }

    private func submission(_ judged: JudgedSubmit, eventHash: UInt64) -> Submission {
        let operation = judged.parameters.operation
        var submission = Submission(lane: judged.lane.lane)
        submission.keyHash = judged.keyHash
        submission.eventHash = eventHash
        submission.priority = operation.priority
        submission.isIdempotent = operation.isIdempotent
        submission.retriesUnknown = operation.retriesUnknown
        submission.deadline = operation.deadline
        return submission
    }

    func readFailure(of judged: JudgedSubmit) throws(ServiceError) -> ReadFailure {
        try readFailure(
            judged.parameters.failure, owner: judged.lane.lane.owner,
            isIdempotent: judged.parameters.operation.isIdempotent,
            retriesUnknown: judged.parameters.operation.retriesUnknown)
    }

    /// The answer to a failure whose event was told before; nil: it was not.
    private func duplicate(_ failure: ReadFailure, _ resolution: Resolution) -> Submitted? {
        guard failure.eventHash != 0, let id = scheduler.operation(ofEvent: failure.eventHash)
        else { return nil }
        if scheduler.peekStanding(of: id) == nil {
            // Its decision went with the operation; that it was told is still known.
            return Submitted(id: id, isExisting: true, isDuplicate: true)
        }
        guard let known = resolution.events[failure.eventHash], known.candidate == id,
            known.decision != nil || known.isForgotten
        else { return nil }
        return Submitted(
            id: id, storedDecision: known.decision, isExisting: true, isDuplicate: true)
    }

    private func submitAgain(
        _ id: OperationID, _ submission: Submission, _ judged: JudgedSubmit,
        _ failure: ReadFailure, _ payload: Payload
    ) -> Submitted {
        let outcome = scheduler.keySubmittedAgain(
            id, mode: judged.parameters.operation.keyMode, submission, failure.told, now: now,
            into: &effects)
        var submitted = Submitted(id: id, isExisting: true)
        switch outcome {
        case .existing:
            break
        case .revived(let decision):
            save(id, .revived, decision, judged, failure, payload)
            submitted.decision = decision
        case .replaced(let decision):
            save(id, .replaced, decision, judged, failure, payload)
            submitted.decision = decision
        }
        carryOutEffects(of: id, submitted.decision)
        return submitted
    }

    /// The new body, and a line of the history: the attempts before it were on another one.
    private func save(
        _ id: OperationID, _ outcome: AttemptRow, _ decision: Decision, _ judged: JudgedSubmit,
        _ failure: ReadFailure, _ payload: Payload
    ) {
        saveBody(id, judged, failure, payload, decision, isNew: false)
        saveAttempt(id, outcome, failure, decision, by: judged.lane.lane.owner)
    }

    /// - Parameter takesWritten: Nothing was decided since, so that the decision need not be
    ///   written a second time.
    func write(
        _ submitted: Submitted, into writer: inout JSONWriter, takesWritten: Bool = false
    ) {
        writer.member("id", submitted.id.rawValue)
        let standing = scheduler.peekStanding(of: submitted.id)
        writer.member("state", word: standing?.state.name ?? "removed")
        writer.name("decision")
        if let decision = submitted.decision {
            write(decision, of: submitted.id, into: &writer, takesWritten: takesWritten)
        } else if let stored = submitted.storedDecision, !stored.isEmpty {
            writer.raw(stored)
        } else {
            writer.null()
        }
        writer.due(standing?.due, now)
        writer.member("existing", submitted.isExisting)
        writer.member("duplicate", submitted.isDuplicate)
    }
}
