import JSON
import RetryConfig
import RetryCore
import RetryModel
import SystemKit
import Varlink

/// Putting new configuration and rules in force: all of it or none.
extension Engine {
    /// - Throws: What is wrong; nothing has changed then.
    func reload() throws(SettingsError) {
        reloadBegins()
        // Also after a refusal: the old configuration serves on, and without READY=1 the reload
        // would hang (sd_notify(3)).
        defer { reloadEnded(sentence) }
        let fresh: Settings
        do {
            fresh = try Settings(identity.searchPath)
        } catch {
            reloadRefusal = "\(error)"
            journal.configurationRefused(error)
            throw error
        }
        reloadRefusal = nil
        settings = fresh
        journal.level = fresh.journalLevel
        parser = JSONParser(
            lengthMax: fresh.configuration.limits.messageBytesMax,
            depthMax: Limits.messageDepthMax)
        ruleNames.rulesChanged(count: fresh.ruleCount)
        putPoliciesInForce()
        catchUpWithHost()
        // There may be workers now that could not run what waits.
        wakeWaiters()
        for warning in fresh.warnings { journal.warning(warning) }
        journal.reloaded(rules: fresh.ruleCount)
    }

    func reload(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try CallFailure.reading { () throws(ServiceError) in
            for member in call.members { throw Decode.unknown(member) }
        }
        guard connection.caller.isAdmin else {
            throw .denied("reload is for root and \(settings.configuration.adminGroupName)")
        }
        // What the call holds is of no use behind this: another parser takes the next one.
        do {
            try reload()
        } catch {
            throw .configuration(error)
        }
        answer(call, connection) { writer in
            writer.member("rules", Int64(settings.ruleCount))
            writer.member("rules_hash", hexadecimal(settings.rulesHash))
        }
    }
}
