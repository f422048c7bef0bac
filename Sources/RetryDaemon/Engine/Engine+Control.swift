import JSON
import RetryCore
import RetryModel
import RetryStore
import Varlink

/// Cancel and Retry: on one operation or on all that a filter names.
extension Engine {
    private struct Target {
        var id: OperationID?
        var filter: FilterParameters?
        var reclassifies = false
    }

    private func target(
        _ call: Call, takesReclassify: Bool
    ) throws(ServiceError) -> Target {
        var target = Target()
        for member in call.members {
            switch member.name {
            case "id": target.id = try Decode.operationID(member)
            case "filter":
                if let value = try Decode.object(member) {
                    target.filter = try FilterParameters(value)
                }
            case "reclassify" where takesReclassify:
                target.reclassifies = try Decode.bool(member) ?? false
            default: throw Decode.unknown(member)
            }
        }
        if target.id == nil, target.filter == nil { throw Decode.missing("id") }
        if target.id != nil, target.filter != nil {
            throw .invalidParameter("filter", reason: "`id` is given as well")
        }
        if target.filter?.key != nil {
            throw .invalidParameter("filter", reason: "a key names one operation: give its `id`")
        }
        return target
    }

    func cancel(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try requireStore()
        let target = try CallFailure.reading { () throws(ServiceError) in
            try self.target(call, takesReclassify: false)
        }
        let caller = connection.caller
        try act(on: target, call, connection) { [self] id throws(Refusal) in
            try scheduler.cancelAsked(id, by: caller, now: now, into: &effects)
        }
    }

    func retry(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try requireStore()
        let target = try CallFailure.reading { () throws(ServiceError) in
            try self.target(call, takesReclassify: true)
        }
        if target.reclassifies {
            return try reclassify(target, call, connection)
        }
        let caller = connection.caller
        try act(on: target, call, connection) { [self] id throws(Refusal) in
            let before = scheduler.view(id, now: now)?.state
            try scheduler.retryAsked(id, by: caller, now: now, into: &effects)
            if before == .parked || before == .dead {
                saveAttempt(id, .revived, by: caller.user)
            }
        }
    }

    /// Acts on one and answers, or on all that a filter names; those whose state does not fit are
    /// passed over then.
    private func act(
        on target: Target, _ call: Call, _ connection: Connection,
        _ body: @escaping (OperationID) throws(Refusal) -> Void
    ) throws(CallFailure) {
        if let id = target.id {
            try CallFailure.acting(on: id) { () throws(Refusal) in try body(id) }
            carryOutEffects(of: id)
            return answer(call, connection) { writer in writer.member("count", 1 as Int64) }
        }
        let run = begin(target, call, connection)
        collect(run.scan) { [self] in actOnPage(run, body) }
        run.isLong = connection.pause == .running
    }

    private func begin(
        _ target: Target, _ call: Call, _ connection: Connection
    ) -> ActRun {
        let scan = Scan(
            target.filter ?? FilterParameters(), for: connection.caller,
            after: OperationID(rawValue: 0))
        let run = ActRun(scan, connection, keepPlace(call, connection))
        connection.pause = .running
        return run
    }

    private func actOnPage(
        _ run: ActRun, _ body: @escaping (OperationID) throws(Refusal) -> Void
    ) {
        for id in run.scan.take(Limits.actPageMax) {
            do throws(Refusal) {
                try body(id)
                run.count += 1
            } catch {
                continue
            }
        }
        carryOutEffects()
        goOn(run) { [self] in actOnPage(run, body) }
    }

    /// Answers when nothing is left; the next page waits until this one is stored.
    private func goOn(_ run: ActRun, _ body: @escaping () -> Void) {
        if !run.scan.isEmpty { return afterwards(body) }
        var writer = JSONWriter()
        writer.beginReply()
        writer.member("count", Int64(run.count))
        writer.endReply()
        fill(run.address, with: writer, after: batchOfAnswers)
        // A short run ends within its call, which must not take the next one up.
        if run.isLong { resume(run.connection) } else { run.connection.pause = .none }
    }

    // MARK: Deciding anew

    /// Reads the last failure of each and decides it by the rules in force.
    private func reclassify(
        _ target: Target, _ call: Call, _ connection: Connection
    ) throws(CallFailure) {
        if let id = target.id {
            let view = try CallFailure.acting(on: id) { () throws(Refusal) in
                try scheduler.view(id, for: connection.caller, now: now)
            }
            if view.state == .leased || view.state == .succeeded || view.state == .cancelled {
                throw .refused(.wrongState(view.state), id)
            }
            return reclassify([id], begin(target, call, connection))
        }
        let run = begin(target, call, connection)
        connection.workBytes = Limits.outputBytesMax
        collect(run.scan) { [self] in reclassify(pageToReclassify(run), run) }
    }

    /// Their failures are read into memory: as many as an answer may have bytes.
    private func pageToReclassify(_ run: ActRun) -> [OperationID] {
        var page: [OperationID] = []
        var bytes = 0
        while page.count < Limits.actPageMax, bytes < Limits.outputBytesMax,
            let id = run.scan.take(1).first
        {
            page.append(id)
            bytes += scheduler.view(id, now: now).map { answerBytes($0.record) } ?? 0
        }
        return page
    }

    private func reclassify(_ ids: [OperationID], _ run: ActRun) {
        run.isLong = true
        for id in ids {
            read(.newestFailure, of: id) { [self] result in
                guard storeState == .serving, case .failure(let document) = result.content else {
                    return
                }
                if reclassify(id, document, run.scan.caller) { run.count += 1 }
            }
        }
        afterwards { [self] in
            goOn(run) { [self] in reclassify(pageToReclassify(run), run) }
        }
    }

    private func reclassify(
        _ id: OperationID, _ document: UnsafeRawBufferPointer, _ caller: Caller
    ) -> Bool {
        guard let record = scheduler.view(id, now: now)?.record,
            let value = try? parser.parse(Array(document)),
            let failure = try? readFailure(
                value, owner: scheduler.lane(record.lane).owner,
                isIdempotent: record.isIdempotent, retriesUnknown: record.retriesUnknown),
            let decision = try? scheduler.reclassifyAsked(
                id, failure.told, by: caller, now: now, into: &effects)
        else { return false }
        saveAttempt(id, .reclassified, failure, decision, by: caller.user)
        carryOutEffects(of: id, decision)
        return true
    }
}

/// An act on all operations that a filter names, a page at a time: a hundred thousand must not
/// hold up everybody else.
final class ActRun {
    let scan: Scan
    let connection: Connection
    let address: ReplyAddress?
    var count = 0
    /// It goes on in later turns.
    var isLong = false

    init(_ scan: Scan, _ connection: Connection, _ address: ReplyAddress?) {
        self.scan = scan
        self.connection = connection
        self.address = address
    }
}
