import JSON
import RetryCore
import RetryModel
import SystemKit

/// What an answer needs to know to put numbers into words.
struct Words {
    var now: Now
    var ruleName: (RuleIndex) -> String?
    var policyName: (PolicyIndex) -> String
    var lane: (LaneIndex) -> Lane
}

extension JSONWriter {
    @inline(__always)
    mutating func member(_ name: StaticString, _ text: String?) {
        self.name(name)
        if let text { string(text) } else { null() }
    }

    @inline(__always)
    mutating func member(_ name: StaticString, _ number: Int64?) {
        self.name(name)
        if let number { integer(number) } else { null() }
    }

    @inline(__always)
    mutating func member(_ name: StaticString, word: StaticString) {
        self.name(name)
        literal(word)
    }

    @inline(__always)
    mutating func member(_ name: StaticString, _ flag: Bool) {
        self.name(name)
        bool(flag)
    }

    /// A moment as the wire tells it; `.never` is null.
    @inline(__always)
    mutating func member(_ name: StaticString, _ instant: Instant?, _ now: Now) {
        self.name(name)
        if let instant, instant != .never {
            integer(now.wall(of: instant).usec)
        } else {
            null()
        }
    }

    /// `due_usec`, and `due` which is the same.
    mutating func due(_ due: Instant?, _ now: Now) {
        member("due_usec", due, now)
        member("due", due, now)
    }

    /// The type `Herd`.
    mutating func release(_ release: Scheduler.ReleaseView?, _ now: Now) {
        name("release")
        guard let release else { return null() }
        beginObject()
        member("trigger", word: release.report.trigger.name)
        member("released", Int64(release.report.count))
        member("waiting", Int64(release.waiting))
        member("peak", Int64(release.report.peak))
        member("over_usec", release.report.over.usec)
        member("ended_usec", release.endedAt, now)
        endObject()
    }

    /// The type `Decision`.
    mutating func decision(_ decision: Decision, _ words: Words) {
        beginObject()
        member("disposition", word: decision.disposition.name)
        name("condition")
        condition(decision)
        name("action")
        if let action = decision.action.name { literal(action) } else { null() }
        name("retry_after_s")
        if let hint = decision.hint { double(Double(hint.usec) / 1e6) } else { null() }
        member("clamped", decision.hintClamped)
        member("rule", words.ruleName(decision.rule))
        member("policy", words.policyName(decision.policy))
        switch decision.outcome {
        case .waiting:
            member("outcome", word: "waiting")
            member("cause", String?.none)
        case .parked(let cause):
            member("outcome", word: "parked")
            member("cause", word: cause.name)
        case .dead(let cause):
            member("outcome", word: "dead")
            member("cause", word: cause.name)
        }
        due(decision.due, words.now)
        name("delay_ms")
        if decision.due == nil { null() } else { integer(decision.delay.millisecondsUp) }
        endObject()
    }

    private mutating func condition(_ decision: Decision) {
        guard decision.disposition == .retry else { return null() }
        switch decision.condition {
        case .now: literal("now")
        case .whenForeground: literal("when-foreground")
        case .network: literal("network")
        case .custom(let name): string("custom:\(name)")
        }
    }

    /// The type `Reason`.
    mutating func reason(_ reason: Reason, _ now: Now, running: Int = 0) {
        beginObject()
        member("code", word: reason.code)
        member("until_usec", reason.until, now)
        switch reason {
        case .signal(let signal, _): member("signal", signal.text)
        case .credentialHeld(let name, _): member("signal", "credential:\(name)")
        case .noWorker(let queue): member("queue", queue)
        case .needsOwner(let cause, _), .dead(let cause): member("cause", word: cause.name)
        case .leasedBy(let holder, _):
            member("pid", Int64(holder.process))
            member("uid", Int64(holder.user))
        case .pausedBy(let author, let text, _):
            member("uid", Int64(author))
            member("reason", text)
        case .breakerOpen(let destination, _): member("destination", destination)
        case .budgetEmpty(let destination, _): member("destination", destination)
        case .quota(let destination, let max):
            member("destination", destination)
            member("max", Int64(max))
        case .backoffUntil, .serverSaidUntil, .clockUntrusted, .ended: break
        }
        member("next", reason.next(running: running))
        endObject()
    }
}

extension SignalName {
    /// As SetSignal takes it, with the scope of a foreground behind it.
    var text: String {
        switch self {
        case .foreground(let scope, _): "foreground \(scope)"
        case .network: "network"
        case .credential(let name, _): "credential:\(name)"
        case .custom(let name, _): "custom:\(name)"
        }
    }
}

extension SignalName {
    /// Who or what sets it, in a few words.
    fileprivate var setBy: String {
        switch self {
        case .foreground(let scope, _):
            scope.hasPrefix("user:")
                ? "a session at the screen, or retryctl foreground"
                : "retryctl foreground \(scope)"
        case .network: "the daemon sets it, or retryctl signal network on"
        case .credential, .custom: "retryctl signal \(text) on"
        }
    }
}

extension Reason {
    /// What will move it on, in a sentence.
    ///
    /// - Parameter running: How many attempts of its queue run.
    func next(running: Int) -> String {
        switch self {
        case .backoffUntil: "it is tried when the back-off ends"
        case .serverSaidUntil: "it is tried when the server's date has come"
        case .signal(let signal, _):
            "it is tried when \(signal.text) comes (\(signal.setBy)); `max-hold` parks it otherwise"
        case .credentialHeld(let name, _):
            "it is tried when the sign-in \(name) is renewed "
                + "(retryctl signal credential:\(name) on)"
        case .pausedBy(let author, _, let until):
            until == nil
                ? "user \(author) paused it: retryctl resume"
                : "user \(author) paused it: the pause ends, or retryctl resume"
        case .breakerOpen(let destination, let until):
            until == nil
                ? "one attempt shows whether \(destination) works again"
                : "\(destination) failed too often: one attempt may go then"
        case .budgetEmpty(let destination?, _):
            "\(destination) was tried as often as it may be; the budget fills with time"
        case .budgetEmpty(nil, _):
            "many became runnable together: they go by and by, and this is one of them"
        case .quota(let destination, let max):
            "\(max) attempts at \(destination) run, and no more may: one must end"
        case .clockUntrusted:
            "a date decides, and the clock is not set: it is tried when the clock reaches it"
        case .leasedBy: "its worker reports, or the lease runs out"
        case .noWorker(let queue) where running > 0:
            "the workers of queue \(queue) are busy with \(running) attempts: it is tried when one "
                + "of them has room"
        case .noWorker(let queue): "a worker must lease queue \(queue)"
        case .needsOwner: "its owner must act: retryctl recover or resolve"
        case .dead: "nothing, until it is revived: retryctl retry"
        case .ended: "nothing: it has ended"
        }
    }
}
