import RetryCore
import RetryModel
import Support

/// Those who hand operations over and change their minds.
extension World {
    mutating func clientSubmits() throws {
        let submission = submission()
        let told = failure()
        let event = submission.eventHash
        let known = shell.core.operation(ofEvent: event)
        guard known == ledger.events[event] else {
            throw Violation(rule: .onePlace, message: "event \(event) is not known as told")
        }
        // Told before: the first decision is the answer, nothing happens.
        if event != 0, known != nil { return }
        let holders = shell.core.operations(withKeyHash: submission.keyHash)
        if let id = holders.first, submission.keyHash != 0 {
            return try submitAgain(id, submission, told)
        }
        let now = now
        do {
            let answer = try shell.tell { core, effects in
                try core.operationSubmitted(submission, told, now: now, into: &effects)
            }
            let (id, decision) = answer.result
            note("submit \(id.rawValue): \(decision.outcome)")
            try ledger.accepted(id, submission, decision, now: now)
            try observe(answer.effects)
            shell.answer(.submitted(id))
        } catch let refusal as Refusal {
            note("submit refused: \(refusal)")
        }
    }

    private mutating func submitAgain(
        _ id: OperationID, _ submission: Submission, _ told: ToldFailure
    ) throws {
        let mode = pick(KeyMode.allCases) ?? .keep
        let now = now
        let answer = shell.tell { core, effects in
            core.keySubmittedAgain(
                id, mode: mode, submission, told, now: now, into: &effects)
        }
        note("submit again \(id.rawValue), \(mode.name): \(answer.result)")
        switch answer.result {
        case .existing:
            break
        case .revived(let decision), .replaced(let decision):
            ledger.replaced(id, submission)
            ledger.decided(
                id, decision, scope: submission.lane.scope, now: now, isFirst: true)
        }
        try observe(answer.effects)
        shell.answer(.submitted(id))
    }

    private mutating func submission() -> Submission {
        let owner = pick(World.owners) ?? 0
        var lane = Lane(
            owner: owner, group: owner, queue: pick(World.queues) ?? "", kind: .custom,
            scope: chance(20) ? "app:mail" : "user:\(owner)")
        if chance(40) { lane.destination = pick(["mx1.example.com", "mx2.example.com"]) }
        if chance(30) { lane.credential = pick(["oauth:alice", "oauth:bob"]) }
        if chance(20) { lane.policy = pick(["wild", "quick", "gone"]) }
        var submission = Submission(lane: lane)
        let number = UInt64(owner) * 1_000 + UInt64(random.number(through: 9))
        if chance(30) { submission.keyHash = number + 1 }
        if chance(30) { submission.eventHash = (number + 1) << 32 | UInt64(step % 40) }
        submission.priority = Int8(random.number(through: 200) - 100)
        let choices: [Bool?] = [nil, nil, true, false]
        submission.isIdempotent = pick(choices) ?? nil
        submission.retriesUnknown = chance(40)
        if chance(10) {
            submission.deadline = now.wall + .seconds(random.number(through: 1_200))
        }
        return submission
    }

    /// The next failure of an operation: often the same as before, or no rule would ever repeat.
    mutating func failure(of id: OperationID) -> ToldFailure {
        guard chance(60) else { return failure() }
        return switch id.rawValue % 4 {
        case 0:
            ToldFailure(
                Verdict(disposition: .retry, condition: .whenForeground, rule: 1), rule: 2)
        case 1: ToldFailure(Verdict(disposition: .retry, rule: 2), rule: 3)
        default: failure()
        }
    }

    /// A failure as the rules may read it.
    mutating func failure() -> ToldFailure {
        let rule = Int(random.number(through: 5))
        var verdict: Verdict
        switch random.number(through: 19) {
        case 0..<8: verdict = Verdict(disposition: .retry, rule: rule)
        case 8..<10:
            let hint = Span.seconds(random.number(through: 2_000))
            verdict = Verdict(disposition: .retry, hint: .after(hint), rule: rule)
        case 10..<12:
            let date = now.wall + .seconds(random.number(through: 2_000) - 200)
            verdict = Verdict(disposition: .retry, hint: .at(date), rule: rule)
        case 12..<14:
            verdict = Verdict(disposition: .retry, condition: .whenForeground, rule: rule)
        case 14: verdict = Verdict(disposition: .retry, condition: .network, rule: rule)
        case 15: verdict = Verdict(disposition: .retry, condition: .custom("vpn"), rule: rule)
        case 16: verdict = Verdict(disposition: .reauthenticate, rule: rule)
        case 17: verdict = Verdict(disposition: .newFlow, rule: rule)
        case 18: verdict = Verdict(disposition: .permanent, rule: rule)
        default: verdict = .unknown
        }
        if chance(10) {
            verdict.repeatMax = 1
            verdict.repeatFallback = .init(disposition: .newFlow, action: .none)
        }
        if chance(10) { verdict.policy = "wild" }
        return ToldFailure(verdict, rule: verdict.rule.map { RuleIndex($0 + 1) } ?? 0)
    }

    // MARK: Cancel, retry, decide anew, recover, resolve

    mutating func ownerActs() throws {
        let ids = shell.core.ids { _ in true }
        guard let id = pick(ids), let before = shell.core.view(id, now: now) else { return }
        let owner = Caller(user: shell.core.lane(before.record.lane).owner, isAdmin: false)
        let wasGivenUp = before.state == .parked || before.state == .dead
        let now = now
        do {
            switch random.number(through: 5) {
            case 0:
                let told = try shell.tell { core, effects in
                    try core.cancelAsked(id, by: owner, now: now, into: &effects)
                }
                note("cancel \(id.rawValue)")
                try observe(told.effects)
                shell.answer(.cancelled(id))
            case 1:
                let failure = failure()
                let scope = shell.core.lane(before.record.lane).scope
                let told = try shell.tell { core, effects in
                    try core.reclassifyAsked(id, failure, by: owner, now: now, into: &effects)
                }
                note("reclassify \(id.rawValue): \(told.result.outcome)")
                ledger.reclassified(
                    id, told.result, scope: scope, wasGivenUp: wasGivenUp, now: now)
                try observe(told.effects)
            case 2: try personChooses(id, owner, wasGivenUp: wasGivenUp)
            case 3: try ownerResolves(id, owner, before)
            default:
                let told = try shell.tell { core, effects in
                    try core.retryAsked(id, by: owner, now: now, into: &effects)
                }
                note("retry \(id.rawValue)")
                ledger.retried(id, wasGivenUp: wasGivenUp, now: now)
                try observe(told.effects)
            }
        } catch let refusal as Refusal {
            note("refused: \(refusal)")
            let after = shell.core.view(id, now: now)
            guard refusal == .wrongState(before.state), after == before else {
                throw Violation(rule: .onePlace, message: "\(id.rawValue): \(refusal)")
            }
        }
    }

    private mutating func personChooses(
        _ id: OperationID, _ owner: Caller, wasGivenUp: Bool
    ) throws {
        let choice = pick(RecoveryChoice.allCases) ?? .retry
        let now = now
        let told = try shell.tell { core, effects in
            try core.recoverAsked(id, choice, by: owner, now: now, into: &effects)
        }
        note("recover \(id.rawValue): \(choice)")
        if told.result == .retried { ledger.retried(id, wasGivenUp: wasGivenUp, now: now) }
        try observe(told.effects)
        if told.result == .cancelled { shell.answer(.cancelled(id)) }
    }

    private mutating func ownerResolves(
        _ id: OperationID, _ owner: Caller, _ before: Scheduler.View
    ) throws {
        let failure = chance(50) ? failure() : nil
        let scope = shell.core.lane(before.record.lane).scope
        let now = now
        let told = try shell.tell { core, effects in
            try core.resolveAsked(id, failure, by: owner, now: now, into: &effects)
        }
        note("resolve \(id.rawValue): \(told.result.map { "\($0.outcome)" } ?? "at once")")
        ledger.resolved(id, told.result, scope: scope, now: now)
        try observe(told.effects)
    }

    // MARK: Pauses

    mutating func somebodyPauses() throws {
        let owner = pick(World.owners) ?? 0
        let scopes = [
            PauseScope(), PauseScope(owner: owner), PauseScope(queue: pick(World.queues)),
            PauseScope(destination: "mx1.example.com"), PauseScope(credential: "oauth:alice"),
            PauseScope(owner: owner, queue: pick(World.queues)),
        ]
        guard let scope = pick(scopes) else { return }
        let lasting = chance(50) ? Span.seconds(random.number(through: 60) + 1) : nil
        let pauses = chance(30)
        let now = now
        note("\(scope) is \(pauses ? "paused" : "resumed")")
        let told = try shell.tell { core, effects in
            if pauses {
                _ = try core.pauseAsked(
                    scope, reason: "test", lasting: lasting, by: World.worker, now: now,
                    into: &effects)
            } else {
                _ = try core.resumeAsked(scope, by: World.worker, now: now, into: &effects)
            }
        }
        try observe(told.effects)
    }

    // MARK: Signals

    mutating func signalIsSet() throws {
        let owner = pick(World.owners) ?? 0
        let signals: [SignalName] = [
            .foreground(of: "user:\(owner)", for: owner), .foreground(of: "app:mail", for: owner),
            .network, .credential(name: "oauth:alice", owner: owner),
            .credential(name: "oauth:bob", owner: owner), .custom(name: "vpn", owner: owner),
        ]
        guard let signal = pick(signals) else { return }
        let isOn = chance(65)
        let lasting = chance(30) ? Span.seconds(random.number(through: 300) + 1) : nil
        let now = now
        note("\(signal) is \(isOn ? "on" : "off")")
        let told = shell.tell { core, effects in
            _ = core.signalSet(
                signal, isOn: isOn, by: owner, lasting: lasting, now: now, into: &effects)
        }
        try observe(told.effects)
    }
}
