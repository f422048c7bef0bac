import RetryModel

extension Classifier {
    /// The wait the failing side asked for, found where the rule says.
    func hint(for rule: Int, pick: RuleConsequence.HintPick) -> WaitHint {
        var found: Wait?
        for index in tables.ruleHints[rule].range {
            let group = tables.hintGroups[Int(tables.hintLists[index])]
            guard let wait = wait(of: group, pick: pick) else { continue }
            switch pick {
            case .first: return wait.hint
            case .largest: found = longer(found, wait)
            }
        }
        return found?.hint ?? .none
    }

    private func wait(of group: Span32, pick: RuleConsequence.HintPick) -> Wait? {
        var found: Wait?
        for index in group.range {
            let step = tables.hints[index]
            guard let wait = wait(of: step) else { continue }
            switch pick {
            case .first: return wait
            case .largest: found = longer(found, wait)
            }
        }
        return found
    }

    private func wait(of step: HintStep) -> Wait? {
        if step.waitSeconds >= 0 {
            guard holdsAny(step.when) else { return nil }
            trace?.usedConstant(step)
            return .after(.seconds(step.waitSeconds))
        }
        for index in step.sources.range {
            let slot = Int(tables.sources[index])
            guard facts.has(slot), holdsAny(step.when) else { continue }
            guard let wait = wait(inSlot: slot, form: step.form) else {
                trace?.ignoredHint(step, slot)
                continue
            }
            trace?.foundHint(step, slot, wait)
            guard step.plusSeconds > 0 else { return wait }
            return plus(.seconds(step.plusSeconds), wait)
        }
        return nil
    }

    private func wait(inSlot slot: Int, form: WaitForm) -> Wait? {
        let fact = facts.values[slot]
        guard fact.kind == .array else { return wait(in: fact, form: form) }
        var found: Wait?
        forEachScalar(of: slot) { element in
            found = wait(in: element, form: form)
            return found != nil
        }
        return found
    }

    private func plus(_ more: Span, _ wait: Wait) -> Wait {
        switch wait {
        case .none: .after(more)
        case .after(let span): .after(span + more)
        case .at(let time): .at(time + more)
        }
    }

    private func longer(_ left: Wait?, _ right: Wait) -> Wait {
        guard let left else { return right }
        return moment(left) < moment(right) ? right : left
    }

    private func moment(_ wait: Wait) -> WallTime {
        switch wait {
        case .none: receivedAt
        case .after(let span): receivedAt + span
        case .at(let time): time
        }
    }
}

extension Wait {
    var hint: WaitHint {
        switch self {
        case .none: .none
        case .after(let span): .after(span)
        case .at(let time): .at(time)
        }
    }
}
