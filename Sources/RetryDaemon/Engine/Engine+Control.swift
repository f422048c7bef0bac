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
        let count = try act(on: target, connection) { id throws(Refusal) in
            try self.scheduler.cancelAsked(
                id, by: connection.caller, now: self.now, into: &self.effects)
        }
        answer(call, connection) { writer in writer.member("count", Int64(count)) }
    }

    func retry(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try requireStore()
        let target = try CallFailure.reading { () throws(ServiceError) in
            try self.target(call, takesReclassify: true)
        }
        if target.reclassifies {
            return try reclassify(target, call, connection)
        }
        let count = try act(on: target, connection) { id throws(Refusal) in
            try self.scheduler.retryAsked(
                id, by: connection.caller, now: self.now, into: &self.effects)
        }
        answer(call, connection) { writer in writer.member("count", Int64(count)) }
    }

    /// Acts on each; with a filter, those whose state does not fit are passed over.
    private func act(
        on target: Target, _ connection: Connection,
        _ body: (OperationID) throws(Refusal) -> Void
    ) throws(CallFailure) -> Int {
        if let id = target.id {
            try CallFailure.acting(on: id) { () throws(Refusal) in try body(id) }
            carryOutEffects(of: id)
            return 1
        }
        var count = 0
        for id in ids(target.filter ?? FilterParameters(), for: connection.caller) {
            do throws(Refusal) {
                try body(id)
                count += 1
            } catch {
                continue
            }
        }
        carryOutEffects()
        return count
    }

    /// Reads the last failure of each and decides it by the rules in force.
    private func reclassify(
        _ target: Target, _ call: Call, _ connection: Connection
    ) throws(CallFailure) {
        let ids: [OperationID]
        if let id = target.id {
            let view = try CallFailure.acting(on: id) { () throws(Refusal) in
                try scheduler.view(id, for: connection.caller)
            }
            if view.state == .leased || view.state == .succeeded || view.state == .cancelled {
                throw .refused(.wrongState(view.state), id)
            }
            ids = [id]
        } else {
            ids = self.ids(target.filter ?? FilterParameters(), for: connection.caller)
        }
        let address = keepPlace(call, connection)
        let run = ReclassifyRun()
        for id in ids {
            read(.newestFailure, of: id) { [self] result in
                guard case .failure(let document) = result.content else { return }
                if reclassify(id, document, connection.caller) { run.count += 1 }
            }
        }
        read(.attributes, of: OperationID(rawValue: 0)) { [self] _ in
            var writer = JSONWriter()
            writer.beginReply()
            writer.member("count", Int64(run.count))
            writer.endReply()
            guard let address, let connection = self.connection(address.connection) else { return }
            connection.replies.fill(address.gap, with: writer.bytes, after: batchOfAnswers)
            connection.replies.stored(through: stored)
            touch(connection)
        }
    }

    private func reclassify(
        _ id: OperationID, _ document: UnsafeRawBufferPointer, _ caller: Caller
    ) -> Bool {
        guard let record = scheduler.view(id)?.record,
            let value = try? parser.parse(Array(document)),
            let failure = try? readFailure(
                value, owner: scheduler.lane(record.lane).owner,
                isIdempotent: record.isIdempotent, retriesUnknown: record.retriesUnknown),
            let decision = try? scheduler.reclassifyAsked(
                id, failure.told, by: caller, now: now, into: &effects)
        else { return false }
        carryOutEffects(of: id, decision)
        return true
    }
}

/// Counts what a reclassification has done.
final class ReclassifyRun {
    var count = 0
}
