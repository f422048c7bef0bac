import JSON
import RetryConfig
import RetryCore
import RetryModel
import SystemKit
import Varlink

/// The interface `io.systemd.service`, which systemd's own services have as well.
extension Engine {
    func ping(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try takeNothing(call)
        answer(call, connection) { _ in }
    }

    func reloadService(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try takeNothing(call)
        try requireAdmin(connection, for: "reload")
        do {
            try reload()
        } catch {
            throw .configuration(error)
        }
        answer(call, connection) { _ in }
    }

    func setLogLevel(_ call: Call, _ connection: Connection) throws(CallFailure) {
        let level = try CallFailure.reading { () throws(ServiceError) in
            var level: JournalPriority?
            for member in call.members {
                guard member.name == "level" else { throw Decode.unknown(member) }
                let number = try Decode.integer(member, 0...7)
                level = number.flatMap { JournalPriority(rawValue: UInt8($0)) }
            }
            guard let level else { throw Decode.missing("level") }
            return level
        }
        try requireAdmin(connection, for: "the log level")
        journal.level = level
        journal.logLevel(level, by: connection.caller.user)
        answer(call, connection) { _ in }
    }

    func getEnvironment(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try takeNothing(call)
        try requireAdmin(connection, for: "the environment")
        let variables = Environment.all.compactMap { $0 }
        guard variables.count == Environment.all.count else { throw .inconsistentEnvironment }
        answer(call, connection) { writer in
            writer.name("environment")
            writer.beginArray()
            for variable in variables { writer.string(variable) }
            writer.endArray()
        }
    }

    func takeNothing(_ call: Call) throws(CallFailure) {
        try CallFailure.reading { () throws(ServiceError) in
            for member in call.members { throw Decode.unknown(member) }
        }
    }

    func requireAdmin(_ connection: Connection, for what: String) throws(CallFailure) {
        guard connection.caller.isAdmin else {
            throw .denied("\(what) is for root and \(settings.configuration.adminGroupName)")
        }
    }
}
