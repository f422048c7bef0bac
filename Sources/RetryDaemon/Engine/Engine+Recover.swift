import JSON
import RetryConfig
import RetryCore
import RetryExplain
import RetryModel
import RetryRules
import RetryStore
import Varlink

/// What a person does about an operation: Recover, which tells and takes options, and Resolve,
/// which brings what a new flow gave.
extension Engine {
    // MARK: Recover

    func recover(_ call: Call, _ connection: Connection) throws(CallFailure) {
        let parameters = try CallFailure.reading { () throws(ServiceError) in
            try RecoverParameters(call)
        }
        if parameters.option != nil { try requireStore() }
        let view = try visible(parameters.id, connection)
        if parameters.option != nil { try checkRecoverable(view) }
        let address = keepPlace(call, connection)
        connection.pause = .running
        readOperation(parameters.id) { [self] result in
            respond(address, parameters.id, connection) { () throws(CallFailure) in
                try recover(parameters, result, connection)
            }
        }
    }

    private func checkRecoverable(_ view: Scheduler.View) throws(CallFailure) {
        switch view.state {
        case .leased, .succeeded, .cancelled:
            throw .refused(.wrongState(view.state), view.record.id)
        case .scheduled, .held, .ready, .parked, .dead: break
        }
    }

    private func recover(
        _ parameters: RecoverParameters, _ result: Result<StoredOperation, ReadFault>,
        _ connection: Connection
    ) throws(CallFailure) -> JSONWriter {
        let id = parameters.id
        // It may have gone on meanwhile.
        let view = try visible(id, connection)
        let stored = try Self.stored(result)
        let messages =
            messages(
                of: stored.decision, view.record.cause, language: parameters.language ?? "en")
            ?? RuleMessages.withoutWords
        var recovery: Recovery?
        if let name = parameters.option {
            try requireStore()
            recovery = try take(option: name, of: messages, view, connection)
        }
        var writer = JSONWriter()
        writer.beginReply()
        writer.member("id", id.rawValue)
        writer.member("state", word: (scheduler.view(id, now: now)?.state ?? .cancelled).name)
        writer.name("outcome")
        if let recovery { writer.literal(recovery.name) } else { writer.null() }
        writer.messagesMember(messages)
        writer.endReply()
        return writer
    }

    private func take(
        option name: String, of messages: RuleMessages, _ view: Scheduler.View,
        _ connection: Connection
    ) throws(CallFailure) -> Recovery {
        guard let option = messages.options.first(where: { $0.name == name }) else {
            let names = messages.options.map(\.name).joined(separator: ", ")
            throw .service(
                .invalidParameter(
                    "option",
                    reason: names.isEmpty
                        ? "there is nothing to choose" : "no option `\(name)`; there are \(names)"))
        }
        let choice: RecoveryChoice =
            switch option.effect {
            case .retry: .retry
            case .cancel: .cancel
            case .signIn: .signIn
            }
        let id = view.record.id
        let recovery = try CallFailure.acting(on: id) { () throws(Refusal) in
            try scheduler.recoverAsked(
                id, choice, by: connection.caller, now: now, into: &effects)
        }
        if recovery == .retried, view.state == .parked || view.state == .dead {
            saveAttempt(id, .revived, by: connection.caller.user)
        }
        carryOutEffects(of: id)
        return recovery
    }

    // MARK: Resolve

    func resolve(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try requireStore()
        let parameters = try CallFailure.reading { () throws(ServiceError) in
            try ResolveParameters(call)
        }
        let view = try visible(parameters.id, connection)
        guard view.state == .parked else {
            throw .refused(.wrongState(view.state), parameters.id)
        }
        let payload = try newPayload(parameters.operation, view)
        var request = parameters
        // What they are views on is gone when the call is carried out.
        request.operation = OperationParameters()
        let address = keepPlace(call, connection)
        connection.pause = .running
        readOperation(parameters.id) { [self, request] result in
            respond(address, request.id, connection) { () throws(CallFailure) in
                try resolve(request, payload, result, connection)
            }
        }
    }

    /// The payload in place of the present one, copied; nil: that stays.
    private func newPayload(
        _ operation: OperationParameters, _ view: Scheduler.View
    ) throws(CallFailure) -> NewPayload? {
        try CallFailure.reading { () throws(ServiceError) in
            let payload = try payload(of: operation)
            if case .none = payload { return nil }
            if scheduler.lane(view.record.lane).kind == .command {
                try CommandPayload.check(operation.payload)
            }
            switch payload {
            case .none: return nil
            case .text(let text): return NewPayload(form: .text, bytes: Array(text))
            case .json(let text): return NewPayload(form: .json, bytes: text)
            case .bytes(let bytes): return NewPayload(form: .bytes, bytes: bytes)
            }
        }
    }

    private func resolve(
        _ parameters: ResolveParameters, _ payload: NewPayload?,
        _ result: Result<StoredOperation, ReadFault>, _ connection: Connection
    ) throws(CallFailure) -> JSONWriter {
        try requireStore()
        let id = parameters.id
        let record = try visible(id, connection).record
        let stored = try Self.stored(result)
        let failure = try failure(of: parameters, record)
        let decision = try CallFailure.acting(on: id) { () throws(Refusal) in
            try scheduler.resolveAsked(
                id, failure?.told, eventHash: failure?.eventHash ?? 0, by: connection.caller,
                now: now, into: &effects)
        }
        saveAttempt(id, .resolved, failure, decision, by: connection.caller.user)
        if let payload {
            stored.withBody(payload) { filling.replaceBody(id, $0) }
        }
        carryOutEffects(of: id, decision)
        let standing = scheduler.peekStanding(of: id)
        var writer = JSONWriter()
        writer.beginReply()
        writer.member("id", id.rawValue)
        writer.member("state", word: (standing?.state ?? .cancelled).name)
        writer.name("decision")
        if let decision { writer.decision(decision, words) } else { writer.null() }
        writer.due(standing?.due, now)
        writeMessages(decision, language: parameters.language, into: &writer)
        writer.endReply()
        return writer
    }

    private func failure(
        of parameters: ResolveParameters, _ record: OperationRecord
    ) throws(CallFailure) -> ReadFailure? {
        guard let document = parameters.failure else { return nil }
        guard let value = try? parser.parse(document) else {
            preconditionFailure("it was parsed with the call")
        }
        return try CallFailure.reading { () throws(ServiceError) in
            try readFailure(
                value, owner: scheduler.lane(record.lane).owner,
                isIdempotent: record.isIdempotent, retriesUnknown: record.retriesUnknown)
        }
    }

    // MARK: Parts

    private static func stored(
        _ result: Result<StoredOperation, ReadFault>
    ) throws(CallFailure) -> StoredOperation {
        switch result {
        case .success(let stored): return stored
        case .failure(let fault): throw .refused(.storeUnavailable(fault.reason), nil)
        }
    }

    /// Gives the answer, or the reason why there is none, to a call that had to read first.
    private func respond(
        _ address: ReplyAddress?, _ id: OperationID, _ connection: Connection,
        _ body: () throws(CallFailure) -> JSONWriter
    ) {
        var writer: JSONWriter
        do {
            writer = try body()
        } catch {
            writer = JSONWriter()
            writer.failure(error)
        }
        fill(address, with: writer, after: batchOfAnswers)
        resume(connection)
    }
}

extension RuleMessages {
    /// What can be chosen where no file has words for it.
    static let withoutWords = RuleMessages(
        language: "en", title: "It failed",
        options: [
            Option(name: "retry", label: "Try again", effect: .retry),
            Option(name: "cancel", label: "Cancel", effect: .cancel),
        ])
}
