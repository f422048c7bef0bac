import JSON
import RetryCore
import RetryModel
import SystemKit
import Varlink

extension Engine {
    func status(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try CallFailure.reading { () throws(ServiceError) in
            for member in call.members { throw Decode.unknown(member) }
        }
        let counts =
            connection.caller.isAdmin
            ? scheduler.counts : scheduler.counts(of: connection.caller.user)
        answer(call, connection) { writer in
            writer.member("version", identity.version)
            writer.member("pid", Int64(identity.process))
            let isAdmin = connection.caller.isAdmin
            writer.member("sentence", isAdmin ? sentence : sentence(ofOwn: counts))
            writer.member("started_usec", identity.startedAt.usec)
            writer.member("store", storeState == .serving ? "serving" : "failing")
            writer.name("counts")
            writer.beginObject()
            for state in OperationState.allCases {
                writer.member(state.name, Int64(counts[state]))
            }
            writer.endObject()
            writer.member("next_usec", isAdmin ? scheduler.nextRunnable : nil, now)
            writer.release(isAdmin ? scheduler.release(now: now) : nil, now)
            writer.member("log_level", journal.level.name)
            writer.member("connections", Int64(connectionCount))
            writer.member("rules", Int64(settings.ruleCount))
            writer.member("rules_hash", hexadecimal(settings.rulesHash))
            writer.member("memory_bytes", (try? Memory.residentBytes()) ?? 0)
        }
    }

    /// The same for a user: nothing of others.
    private func sentence(ofOwn counts: StateCounts) -> String {
        if case .failing(let reason) = storeState { return "Refusing work: \(reason)" }
        var parts = ["\(grouped(counts.waiting)) of yours waiting"]
        if counts[.parked] > 0 { parts.append("\(grouped(counts[.parked])) parked") }
        if counts[.leased] > 0 { parts.append("\(grouped(counts[.leased])) running") }
        if counts[.dead] > 0 { parts.append("\(grouped(counts[.dead])) given up") }
        return parts.joined(separator: ", ")
    }

    /// One true sentence with absolute times and no names of others, for STATUS= (spec section 9).
    var sentence: String {
        if case .failing(let reason) = storeState { return "Refusing work: \(reason)" }
        var sentence = whatWaits
        if isStoreSlow, let since = storeBusySince {
            sentence = "Waiting for the disk since \(WallClock.text(since.wall)): " + sentence
        }
        if let reloadRefusal { sentence += "; new configuration refused: \(reloadRefusal)" }
        return sentence
    }

    private var whatWaits: String {
        let counts = scheduler.counts
        var parts = ["\(grouped(counts.waiting)) waiting"]
        let foreground = heldForForeground
        var held: [String] = []
        if foreground > 0 { held.append("\(grouped(foreground)) for foreground") }
        if counts[.held] > foreground { held.append("\(grouped(counts[.held] - foreground)) held") }
        if !held.isEmpty { parts[0] += " (\(held.joined(separator: ", ")))" }
        if counts[.parked] > 0 { parts.append("\(grouped(counts[.parked])) parked") }
        if counts[.leased] > 0 { parts.append("\(grouped(counts[.leased])) running") }
        if counts[.dead] > 0 { parts.append("\(grouped(counts[.dead])) given up") }
        var sentence = parts.joined(separator: ", ")
        if counts[.scheduled] > 0, let next = scheduler.nextRunnable {
            sentence += "; next \(WallClock.text(now.wall(of: next)))"
        }
        let down = scheduler.destinationsDown
        if down > 0 { sentence += "; \(grouped(down)) destination\(down == 1 ? "" : "s") down" }
        return sentence
    }

    private var heldForForeground: Int {
        guard scheduler.counts[.held] > 0 else { return 0 }
        var count = 0
        for signal in scheduler.signals(visibleTo: Caller(user: 0, isAdmin: true)) {
            if case .foreground = signal.record.name { count += signal.waiting }
        }
        return count
    }
}

/// 1204 as 1,204.
func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() {
        if index > 0, index % 3 == 0 { text = "," + text }
        text = String(digit) + text
    }
    return text
}

/// 16 lower-case digits.
func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
