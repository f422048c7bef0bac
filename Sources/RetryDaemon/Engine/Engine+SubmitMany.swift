import JSON
import RetryCore
import RetryModel
import Varlink

extension Engine {
    /// Several submits in one call, with one answer.
    ///
    /// Every item's key and event is compared before any is carried out, so that the items are
    /// stored in one batch: with `atomic` all of them or none.
    func submitMany(
        _ call: Call, _ frame: UnsafeRawBufferPointer, _ connection: Connection,
        _ resolution: Resolution
    ) throws(CallFailure) {
        try requireStore()
        try requireDisk(connection)
        let (items, isAtomic) = try CallFailure.reading { () throws(ServiceError) in
            try Self.items(call)
        }
        var judged: [Result<JudgedSubmit, CallFailure>] = []
        var keys: [Question] = []
        var events: [Question] = []
        for item in items {
            let result = Result { () throws(CallFailure) in
                let parameters = try CallFailure.reading { () throws(ServiceError) in
                    try SubmitParameters(item: item)
                }
                return try judge(parameters, connection)
            }
            if case .success(let submit) = result {
                let asked = questions(submit, resolution)
                keys += asked.keys
                events += asked.events
            }
            judged.append(result)
        }
        if isAtomic { try checkAll(judged, connection) }
        guard keys.isEmpty, events.isEmpty else {
            return setAside(call, frame, connection, resolution, keys: keys, events: events)
        }
        let results = carryOut(judged, resolution)
        answer(call, connection) { writer in
            writer.name("results")
            writer.beginArray()
            for result in results { write(result, into: &writer) }
            writer.endArray()
        }
    }

    private static func items(
        _ call: Call
    ) throws(ServiceError) -> (items: [JSONValue], isAtomic: Bool) {
        var items: [JSONValue]?
        var isAtomic = false
        for member in call.members {
            switch member.name {
            case "items":
                items = try Decode.array(member)?.elements.map(Array.init)
            case "atomic": isAtomic = try Decode.bool(member) ?? false
            default: throw Decode.unknown(member)
            }
        }
        guard let items else { throw Decode.missing("items") }
        guard items.count <= Limits.batchMax else {
            throw .invalidParameter("items", reason: "more than \(Limits.batchMax)")
        }
        return (items, isAtomic)
    }

    /// One refused item refuses all: everything that can be wrong with one is looked for before
    /// the first is carried out.
    private func checkAll(
        _ judged: [Result<JudgedSubmit, CallFailure>], _ connection: Connection
    ) throws(CallFailure) {
        let owner = connection.caller.user
        var freshCount = 0
        var bytes = 0
        for (number, result) in judged.enumerated() {
            do throws(CallFailure) {
                let submit = try result.get()
                _ = try CallFailure.reading { () throws(ServiceError) in
                    try self.readFailure(of: submit)
                }
                let payload = try CallFailure.reading { () throws(ServiceError) in
                    try self.payload(of: submit.parameters.operation)
                }
                bytes += StoredSize(bytes: payload.count + scratchFailure.count + 1_024).bytes
                let hash = submit.keyHash
                if hash == 0 || scheduler.operations(withKeyHash: hash).isEmpty { freshCount += 1 }
            } catch {
                throw error.ofItem(number)
            }
        }
        if let limit = scheduler.limit(for: freshCount, bytes: bytes, of: owner) {
            throw .refused(.quotaExceeded(limit), nil)
        }
    }

    private func carryOut(
        _ judged: [Result<JudgedSubmit, CallFailure>], _ resolution: Resolution
    ) -> [Result<Submitted, CallFailure>] {
        var resolution = resolution
        var results: [Result<Submitted, CallFailure>] = []
        for result in judged {
            let submitted = Result { () throws(CallFailure) in
                try self.submit(try result.get(), resolution)
            }
            // A later item with the same key or event means the operation this one just made.
            if case .success(let submit) = result, case .success(let made) = submitted {
                note(made, of: submit, in: &resolution)
            }
            results.append(submitted)
        }
        return results
    }

    private func note(
        _ made: Submitted, of submit: JudgedSubmit, in resolution: inout Resolution
    ) {
        if submit.keyHash != 0 {
            resolution.keys[submit.keyHash] = Resolution.KeyAnswer(
                candidates: [made.id], match: made.id)
        }
        guard let decision = made.decision,
            let event = submit.parameters.failure?["event_id"]?.text
        else { return }
        let hash = hash(event: event, owner: submit.lane.lane.owner)
        guard scheduler.operation(ofEvent: hash) == made.id else { return }
        var writer = JSONWriter()
        writer.decision(decision, words)
        resolution.events[hash] = Resolution.EventAnswer(
            candidate: made.id, decision: writer.bytes)
    }

    /// The type `SubmitResult`.
    private func write(
        _ result: Result<Submitted, CallFailure>, into writer: inout JSONWriter
    ) {
        switch result {
        case .success(let submitted):
            writer.beginObject()
            writer.name("submitted")
            writer.beginObject()
            write(submitted, into: &writer)
            writer.endObject()
            writer.endObject()
        case .failure(let failure):
            // An error reply has the members of a `SubmitResult` that was refused.
            var reply = JSONWriter()
            reply.failure(failure)
            writer.raw(reply.bytes.dropLast())
        }
    }
}

extension CallFailure {
    /// The failure of one item as that of the whole call.
    fileprivate func ofItem(_ number: Int) -> CallFailure {
        func text(_ reason: String) -> String { "item \(number): \(reason); nothing was stored" }
        switch self {
        case .service(.invalidParameter(let name, let reason)):
            return .service(.invalidParameter(name, reason: text(reason)))
        case .refused(.permissionDenied(let reason), let id):
            return .refused(.permissionDenied(text(reason)), id)
        case .service, .refused, .configuration, .inconsistentEnvironment:
            return self
        }
    }
}
