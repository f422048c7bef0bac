import JSON
import RetryCore
import RetryExplain
import RetryModel
import RetryRules
import Varlink

/// Saying what failures mean, and by what rules. Nothing is stored.
extension Engine {
    func classify(_ call: Call, _ connection: Connection) throws(CallFailure) {
        let parameters = try explainParameters(call, takesLanguage: false)
        let judgement = settings.explainer.judge(parameters.failure, parameters.circumstances)
        answer(call, connection) { writer in writer.judgementMembers(judgement) }
    }

    func explain(_ call: Call, _ connection: Connection) throws(CallFailure) {
        let parameters = try explainParameters(call, takesLanguage: true)
        let scope = try scope(parameters.scope, connection.caller)
        let explainer = settings.explainer
        let explained = explainer.explain(parameters.failure, parameters.circumstances)
        let names = signals(of: explained.judgement.decision, parameters, scope, connection)
        answer(call, connection) { writer in
            writer.judgementMembers(explained.judgement)
            writer.explanationMembers(explained, explainer.rules)
            if let language = parameters.language {
                writer.messagesMember(
                    explained.judgement.messages(explainer.rules, language: language))
            }
            writer.name("holds")
            writer.beginArray()
            for name in names {
                writer.beginObject()
                writer.member("signal", name.text)
                writer.member("on", scheduler.isOn(name))
                writer.member("waiting", Int64(scheduler.heldCount(name)))
                writer.endObject()
            }
            writer.endArray()
        }
    }

    private func explainParameters(
        _ call: Call, takesLanguage: Bool
    ) throws(CallFailure) -> ExplainParameters {
        try CallFailure.reading { () throws(ServiceError) in
            let parameters = try ExplainParameters(
                call, takesLanguage: takesLanguage, now: now.wall)
            try self.checkPolicy(parameters.circumstances.policy)
            return parameters
        }
    }

    /// The levels that such an operation of the caller would depend on.
    private func signals(
        of decision: Decision, _ parameters: ExplainParameters, _ scope: String,
        _ connection: Connection
    ) -> [SignalName] {
        let owner = connection.caller.user
        var names: [SignalName] = []
        if let credential = parameters.credential {
            names.append(.credential(name: credential, owner: owner))
        }
        guard decision.disposition == .retry else { return names }
        switch decision.condition {
        case .now: break
        case .whenForeground: names.append(.foreground(of: scope, for: owner))
        case .network: names.append(.network)
        case .custom(let name): names.append(.custom(name: name, owner: owner))
        }
        return names
    }

    /// The rules in force. With a name: those of that name, with all there is to them.
    func listRules(_ call: Call, _ connection: Connection) throws(CallFailure) {
        let name = try CallFailure.reading { () throws(ServiceError) in
            var name: String?
            for member in call.members {
                guard member.name == "name" else { throw Decode.unknown(member) }
                name = try Decode.name(member)
            }
            return name
        }
        let rules = settings.explainer.rules
        answer(call, connection) { writer in
            if let name {
                writer.rulesMember(rules, named: name)
            } else {
                writer.rulesMember(rules)
            }
        }
    }
}
