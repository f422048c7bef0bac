import JSON
import RetryConfig
import RetryCore
import RetryModel
import RetryStore
import SystemKit
import Varlink

extension Engine {
    func report(
        _ call: Call, _ frame: UnsafeRawBufferPointer, _ connection: Connection,
        _ resolution: Resolution
    ) throws(CallFailure) {
        let parameters = try CallFailure.reading { () throws(ServiceError) in
            try ReportParameters(call)
        }
        try requireStore()
        let id = parameters.id
        guard let (before, lane) = scheduler.peekRecord(of: id) else {
            throw .refused(.noSuchOperation(id), id)
        }
        let worker = worker(connection, lane)
        if let question = eventQuestion(parameters.failure, owner: lane.owner, resolution) {
            return setAside(call, frame, connection, resolution, keys: [], events: [question])
        }
        if parameters.isSuccess {
            _ = try CallFailure.acting(on: id) { () throws(Refusal) in
                try scheduler.attemptReported(
                    id, token: parameters.token, .succeeded, by: worker, now: now,
                    into: &effects)
            }
            counters.succeeded += 1
            carryOutEffects(of: id, nil)
            return answerReport(call, connection, parameters, lane, before, nil, false)
        }
        let failure = try CallFailure.reading { () throws(ServiceError) in
            try readFailure(
                parameters.failure, owner: lane.owner,
                isIdempotent: before.isIdempotent,
                retriesUnknown: before.retriesUnknown)
        }
        if !before.isTokenOpen, failure.eventHash != 0,
            let known = resolution.events[failure.eventHash], known.candidate == id,
            known.decision != nil || known.isForgotten, scheduler.mayReport(on: id, worker)
        {
            saveAttempt(id, .duplicate, failure, by: connection.caller.user)
            return answerDuplicate(call, connection, id, known.decision ?? [])
        }
        let wasTold = wasToldOfAnother(failure, than: id, resolution)
        let decision: Decision?
        do {
            decision = try CallFailure.acting(on: id) { () throws(Refusal) in
                try scheduler.attemptReported(
                    id, token: parameters.token,
                    .failed(failure.told, eventHash: failure.eventHash), by: worker, now: now,
                    into: &effects)
            }
        } catch {
            if case .refused(.staleLease, _) = error {
                saveAttempt(id, .stale, failure, by: connection.caller.user)
            }
            throw error
        }
        counters.attemptsFailed += 1
        saveAttempt(id, .failed, failure, decision, by: connection.caller.user)
        carryOutEffects(of: id, decision)
        answerReport(call, connection, parameters, lane, before, decision, wasTold)
    }

    /// Whether the failure was told before, of another operation. The attempt has ended all the
    /// same, and nobody else can say so: it is decided, once, by its own counters.
    private func wasToldOfAnother(
        _ failure: ReadFailure, than id: OperationID, _ resolution: Resolution
    ) -> Bool {
        guard failure.eventHash != 0,
            let teller = scheduler.operation(ofEvent: failure.eventHash), teller != id
        else { return false }
        if scheduler.peekStanding(of: teller) == nil { return true }
        guard let known = resolution.events[failure.eventHash], known.candidate == teller else {
            return false
        }
        return known.decision != nil || known.isForgotten
    }

    private func answerReport(
        _ call: Call, _ connection: Connection, _ parameters: ReportParameters, _ lane: Lane,
        _ before: OperationRecord, _ decision: Decision?, _ wasTold: Bool
    ) {
        let next = parameters.leaseNext > 0 ? LeaseParameters(
            queue: lane.queue, max: parameters.leaseNext,
            visibility: before.lease?.visibility) : nil
        answerWithNext(call, connection, next) { writer in
            writer.member("id", parameters.id.rawValue)
            let standing = scheduler.peekStanding(of: parameters.id)
            writer.member("state", word: (standing?.state ?? .succeeded).name)
            writer.name("decision")
            if let decision {
                write(decision, of: parameters.id, into: &writer, takesWritten: true)
            } else {
                writer.null()
            }
            writer.due(standing?.due, now)
            writer.member("duplicate", wasTold)
            writeMessages(decision, language: parameters.language, into: &writer)
        }
    }

    private func answerDuplicate(
        _ call: Call, _ connection: Connection, _ id: OperationID, _ decision: [UInt8]
    ) {
        answerWithNext(call, connection, nil) { writer in
            writer.member("id", id.rawValue)
            let standing = scheduler.peekStanding(of: id)
            writer.member("state", word: (standing?.state ?? .cancelled).name)
            writer.name("decision")
            if decision.isEmpty { writer.null() } else { writer.raw(decision) }
            writer.due(standing?.due, now)
            writer.member("duplicate", true)
        }
    }

    /// Answers with `operations` behind what `body` writes: up to so many further attempts.
    private func answerWithNext(
        _ call: Call, _ connection: Connection, _ next: LeaseParameters?,
        _ body: (inout JSONWriter) -> Void
    ) {
        var grants: [Grant] = []
        // A oneway call could not be told what it was given.
        if let next, !call.oneway { grants = self.grants(next, count: next.max, connection) }
        if grants.isEmpty {
            return answer(call, connection) { writer in
                body(&writer)
                writer.name("operations")
                writer.beginArray()
                writer.endArray()
            }
        }
        let address = keepPlace(call, connection, reserving: answerBytes(grants))
        let reply = makeReply(address)
        reply.writer.beginReply()
        body(&reply.writer)
        answer(grants, in: reply)
    }

    func release(_ call: Call, _ connection: Connection) throws(CallFailure) {
        let parameters = try CallFailure.reading { () throws(ServiceError) in
            try ReleaseParameters(call)
        }
        try requireStore()
        let id = parameters.id
        guard let (before, lane) = scheduler.peekRecord(of: id) else {
            throw .refused(.noSuchOperation(id), id)
        }
        let worker = worker(connection, lane)
        let due = try CallFailure.acting(on: id) { () throws(Refusal) in
            try scheduler.attemptReleased(
                id, token: parameters.token, delay: parameters.delay, by: worker, now: now,
                into: &effects)
        }
        saveAttempt(id, .released, by: connection.caller.user)
        carryOutEffects(of: id, nil)
        let next = parameters.leaseNext > 0 ? LeaseParameters(
            queue: lane.queue, max: parameters.leaseNext,
            visibility: before.lease?.visibility) : nil
        answerWithNext(call, connection, next) { writer in
            writer.member("id", id.rawValue)
            writer.member("state", word: (scheduler.peekStanding(of: id)?.state ?? .ready).name)
            writer.member("due_usec", due, now)
        }
    }

    func extend(_ call: Call, _ connection: Connection) throws(CallFailure) {
        let parameters = try CallFailure.reading { () throws(ServiceError) in
            try ExtendParameters(call)
        }
        let id = parameters.id
        guard let view = scheduler.view(id, now: now) else {
            throw .refused(.noSuchOperation(id), id)
        }
        // A standing lease that only goes on changes nothing that is stored.
        if view.state != .leased || parameters.changesLease { try requireStore() }
        let worker = worker(connection, scheduler.lane(view.record.lane))
        let own = self.holder(of: connection)
        // A lost lease that is taken up again is the caller's; a standing one keeps its holder.
        let holder =
            try extendingHolder(parameters, connection) ?? (view.state == .leased ? nil : own)
        let until = try CallFailure.acting(on: id) { () throws(Refusal) in
            try scheduler.leaseExtended(
                id, token: parameters.token, visibility: parameters.visibility, holder: holder,
                by: worker, now: now, into: &effects)
        }
        carryOutEffects(of: id, nil)
        answer(call, connection) { writer in writer.member("until_usec", until, now) }
    }

    /// Who holds the lease from now on: the process named, else the caller's.
    private func extendingHolder(
        _ parameters: ExtendParameters, _ connection: Connection
    ) throws(CallFailure) -> LeaseHolder? {
        guard let process = parameters.holderProcess else { return nil }
        guard let holder = holder(ofProcess: process, for: connection) else {
            throw .service(
                .invalidParameter(
                    "holder_pid", reason: "no running process \(process) of the same user"))
        }
        return holder
    }

    /// The caller as the core sees a worker: one that may lease a queue may report on it.
    private func worker(_ connection: Connection, _ lane: Lane) -> Caller {
        var caller = connection.caller
        // Nothing to gain for those who may act on it in any case.
        if caller.mayAct(onOperationsOf: lane.owner) { return caller }
        if settings.configuration.isWorker(caller.user, ofQueue: lane.queue) {
            caller.isAdmin = true
        }
        return caller
    }
}
