import JSON
import RetryConfig
import RetryCore
import RetryModel
import SystemKit
import Varlink

/// SetSignal and ListSignals.
extension Engine {
    private struct Request {
        var signal: String?
        var scope: String?
        var isOn: Bool?
        var lasting: Span?
        var process: Int32?
        var owner: UserID?

        init(_ call: Call) throws(ServiceError) {
            for member in call.members {
                switch member.name {
                case "signal": signal = try Decode.name(member)
                case "scope": scope = try Decode.name(member)
                case "on": isOn = try Decode.bool(member)
                case "ttl_ms":
                    lasting = try Decode.span(member, .milliseconds(1)...Span.days(365))
                case "while_pid":
                    process = try Decode.integer(member, 1...Int64(Int32.max)).map { Int32($0) }
                case "owner_uid":
                    owner = try Decode.integer(member, 0...Int64(UInt32.max)).map { UserID($0) }
                default: throw Decode.unknown(member)
                }
            }
        }
    }

    func setSignal(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try requireStore()
        let request = try CallFailure.reading { () throws(ServiceError) in try Request(call) }
        guard let isOn = request.isOn else { throw .service(Decode.missing("on")) }
        let name = try signalName(request, connection.caller)
        try CallFailure.acting { () throws(Refusal) in try scheduler.checkRoom(for: name) }
        var whileAlive: LeaseHolder?
        if let process = request.process {
            guard let holder = holder(ofProcess: process, for: connection) else {
                throw .service(
                    .invalidParameter(
                        "while_pid", reason: "no running process \(process) of the same user"))
            }
            whileAlive = holder
        }
        let released = scheduler.signalSet(
            name, isOn: isOn, by: connection.caller.user, lasting: request.lasting,
            whileAlive: whileAlive, now: now, into: &effects)
        carryOutEffects()
        journal.signalSet(name, isOn: isOn, by: connection.caller.user, released: released)
        answer(call, connection) { writer in
            writer.member("signal", name.text)
            writer.member("on", isOn)
            writer.member("released", Int64(released))
        }
    }

    /// The signal a caller names, if it may set it (spec section 2).
    private func signalName(
        _ request: Request, _ caller: Caller
    ) throws(CallFailure) -> SignalName {
        guard let signal = request.signal else { throw .service(Decode.missing("signal")) }
        let owner = request.owner ?? caller.user
        guard caller.isAdmin || owner == caller.user else {
            throw .denied(
                "a signal of another user is for that user and for "
                    + settings.configuration.adminGroupName)
        }
        if signal == "foreground" {
            let scope = try scope(request.scope, caller)
            return .foreground(of: scope, for: owner)
        }
        guard request.scope == nil else {
            throw .service(
                .invalidParameter("scope", reason: "only `foreground` has a scope"))
        }
        if signal == "network" {
            guard caller.isAdmin else {
                throw .denied("network is set by the daemon or an admin")
            }
            // The next change of a route would undo it in silence.
            guard !settings.configuration.followsNetwork else {
                throw .service(
                    .invalidParameter(
                        "signal",
                        reason: "the daemon sets `network` itself: to set it by hand say "
                            + "`follow-network = false` under `[signals]` and reload"))
            }
            return .network
        }
        if let name = signal.suffix(after: "credential:") {
            return .credential(name: name, owner: owner)
        }
        if let name = signal.suffix(after: "custom:") {
            return .custom(name: name, owner: owner)
        }
        throw .service(
            .invalidParameter(
                "signal",
                reason: "`foreground`, `network`, `credential:NAME` or `custom:NAME`, "
                    + "not `\(signal)`"))
    }

    func listSignals(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try CallFailure.reading { () throws(ServiceError) in
            for member in call.members { throw Decode.unknown(member) }
        }
        let signals = scheduler.signals(visibleTo: connection.caller)
        answer(call, connection) { writer in
            writer.name("signals")
            writer.beginArray()
            for signal in signals {
                writer.beginObject()
                writer.member("signal", signal.record.name.text)
                writer.member("owner_uid", signal.record.name.owner.map { Int64($0) })
                writer.member("on", signal.record.isOn)
                writer.member("setter_uid", Int64(signal.record.setter))
                writer.member("since_usec", signal.record.changedAtWall.usec)
                writer.member("until_usec", signal.record.until, now)
                writer.member("while_pid", signal.record.whileAlive.map { Int64($0.process) })
                writer.member("waiting", Int64(signal.waiting))
                writer.endObject()
            }
            writer.endArray()
        }
    }

    /// SIGUSR1: the foreground of all scopes is there for a minute (spec section 7).
    func foregroundOfAllScopes() {
        guard storeState == .serving else {
            return journal.warning("SIGUSR1 has no effect while the store cannot be written")
        }
        let released = scheduler.foregroundOfAllSet(
            by: identity.user, lasting: .seconds(60), now: now, into: &effects)
        carryOutEffects()
        journal.foregroundOfAll(released: released)
    }

    /// The levels that stood while a process lived fall back.
    func levelsEnded(of holder: LeaseHolder) {
        // Found again by `watchRestoredProcesses` once that can be stored.
        guard storeState == .serving else { return }
        for level in scheduler.levelsOfProcesses where level.holder == holder {
            _ = scheduler.signalSet(
                level.name, isOn: level.name.initialLevel, by: identity.user, lasting: nil,
                now: now, into: &effects)
        }
        carryOutEffects()
    }
}

extension String {
    /// What follows a prefix; nil when it is not there or nothing follows.
    fileprivate func suffix(after prefix: String) -> String? {
        guard hasPrefix(prefix), utf8.count > prefix.utf8.count else { return nil }
        return String(dropFirst(prefix.count))
    }
}
