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
        let fresh: Settings
        do {
            fresh = try Settings(identity.searchPath)
        } catch {
            journal.configurationRefused(error)
            throw error
        }
        settings = fresh
        ruleNames.rulesChanged(count: fresh.ruleCount)
        putPoliciesInForce()
        for warning in fresh.warnings { journal.warning(warning) }
        journal.reloaded(rules: fresh.ruleCount)
    }

    func reload(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try CallFailure.reading { () throws(ServiceError) in
            for member in call.members { throw Decode.unknown(member) }
        }
        guard connection.caller.isAdmin else {
            throw .refused(
                .permissionDenied(
                    "reload is for root and \(settings.configuration.adminGroupName)"), nil)
        }
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

    func refuse(_ error: SettingsError, _ call: Call, _ connection: Connection) {
        if call.oneway { return }
        var writer = JSONWriter()
        writer.beginError("io.retryd.ConfigurationRefused")
        writer.member("file", error.file)
        writer.member("line", Int64(error.line))
        writer.member("column", Int64(error.column))
        writer.member("reason", error.reason)
        writer.endError()
        writer.bytes.withUnsafeBufferPointer { bytes in
            connection.replies.append(bytes, after: batchOfAnswers, stored: stored)
        }
        touch(connection)
    }
}
