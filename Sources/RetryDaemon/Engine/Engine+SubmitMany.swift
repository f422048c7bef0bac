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
        let (items, isAtomic) = try CallFailure.reading { () throws(ServiceError) in
            try Self.items(call)
        }
        var judged: [Result<JudgedSubmit, ServiceError>] = []
        var keys: [Question] = []
        var events: [Question] = []
        for item in items {
            let result = Result { () throws(ServiceError) in
                try judge(try SubmitParameters(item: item), connection)
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
            return setAside(frame, connection, resolution, keys: keys, events: events)
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

    /// One refused item refuses all.
    private func checkAll(
        _ judged: [Result<JudgedSubmit, ServiceError>], _ connection: Connection
    ) throws(CallFailure) {
        for (number, result) in judged.enumerated() {
            guard case .failure(let error) = result else { continue }
            guard case .invalidParameter(let name, let reason) = error else {
                throw .service(error)
            }
            throw .service(
                .invalidParameter(name, reason: "item \(number): \(reason); nothing was stored"))
        }
        let owner = connection.caller.user
        guard scheduler.hasRoom(for: judged.count, of: owner) else {
            throw .refused(.quotaExceeded("operations-per-user-max"), nil)
        }
    }

    private func carryOut(
        _ judged: [Result<JudgedSubmit, ServiceError>], _ resolution: Resolution
    ) -> [Result<Submitted, CallFailure>] {
        var resolution = resolution
        var results: [Result<Submitted, CallFailure>] = []
        for result in judged {
            switch result {
            case .failure(let error):
                results.append(.failure(.service(error)))
            case .success(let submit):
                let submitted = Result { () throws(CallFailure) in
                    try self.submit(submit, resolution)
                }
                // A later item with the same key means the operation this one just made.
                if case .success(let made) = submitted, submit.keyHash != 0 {
                    resolution.keys[submit.keyHash] = Resolution.KeyAnswer(
                        candidates: [made.id], match: made.id)
                }
                results.append(submitted)
            }
        }
        return results
    }

    /// The type `SubmitResult`.
    private func write(
        _ result: Result<Submitted, CallFailure>, into writer: inout JSONWriter
    ) {
        writer.beginObject()
        switch result {
        case .success(let submitted):
            writer.name("submitted")
            writer.beginObject()
            write(submitted, into: &writer)
            writer.endObject()
        case .failure(let failure):
            let error = failure.nameAndReason
            writer.member("error", error.name)
            writer.name("parameters")
            writer.beginObject()
            if let parameter = error.parameter { writer.member("parameter", parameter) }
            writer.member("reason", error.reason)
            writer.endObject()
        }
        writer.endObject()
    }
}

extension CallFailure {
    /// For an item of a call whose other items may have succeeded.
    fileprivate var nameAndReason: (name: String, parameter: String?, reason: String) {
        switch self {
        case .service(.invalidParameter(let parameter, let reason)):
            ("org.varlink.service.InvalidParameter", parameter, reason)
        case .service(let error):
            ("\(error.name)", nil, "\(error.name)")
        case .refused(.quotaExceeded(let limit), _):
            ("io.retryd.QuotaExceeded", limit, "the limit \(limit) is reached")
        case .refused(let refusal, _):
            ("io.retryd.\(refusal)", nil, "\(refusal)")
        case .configuration(let error):
            ("io.retryd.ConfigurationRefused", nil, "\(error)")
        }
    }
}
