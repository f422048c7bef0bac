import JSON

// Finding the first rule that matches. Numbers of alternatives follow the order of the rules, so
// the smallest one that holds wins.
extension Classifier {
    /// The rule of a stage that decides; nil where none matches.
    func firstMatch(_ stage: Stage) -> Int? {
        if trace != nil { return tracedMatch(stage) }
        let search = tables.search(stage)
        var best = UInt32.max
        for word in 0..<facts.maskWords {
            var open = facts.present[word] & search.anchored[word]
            while open != 0 {
                let slot = word << 6 | open.trailingZeroBitCount
                open &= open - 1
                look(at: slot, search, &best)
            }
        }
        consider(search.always, search, &best)
        guard best != .max else { return nil }
        return Int(tables.alternatives[Int(best)].rule)
    }

    @inline(__always)
    private func look(
        at slot: Int, _ search: EngineTables.Search, _ best: inout UInt32
    ) {
        let anchor = search.anchors[slot]
        consider(anchor.present, search, &best)
        guard anchor.hasValues || anchor.hasWords else { return }
        let fact = facts.values[slot]
        if fact.kind == .array {
            forEachScalar(of: slot) { element in
                look(up: element, slot, anchor, search, &best)
                return false
            }
        } else {
            look(up: fact, slot, anchor, search, &best)
        }
    }

    private func look(
        up fact: Fact, _ slot: Int, _ anchor: SearchTable.Anchor, _ search: EngineTables.Search,
        _ best: inout UInt32
    ) {
        let seed = SearchTable.seed(UInt16(truncatingIfNeeded: slot), isWord: false)
        if fact.kind == .text {
            if anchor.hasValues, fact.count <= Int(anchor.textLengthMax) {
                let hash = ByteHash.hash(fact.base, fact.count, seed: seed)
                consider(alternatives(of: hash, search), search, &best)
            }
            if anchor.hasWords, fact.count <= Self.wordBytesMax {
                let seed = SearchTable.seed(UInt16(truncatingIfNeeded: slot), isWord: true)
                let hash = Words.hash(fact.text, seed: seed)
                consider(alternatives(of: hash, search), search, &best)
            }
        }
        if anchor.hasValues, let number = fact.whole {
            let hash = ByteHash.hash(number, seed: seed)
            consider(alternatives(of: hash, search), search, &best)
        }
    }

    /// Names are not longer than that, however they are spelt.
    static var wordBytesMax: Int { 128 }

    @inline(__always)
    private func alternatives(of hash: UInt64, _ search: EngineTables.Search) -> Span32 {
        let mask = search.values.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while true {
            let value = search.values[place]
            if value.alternatives.count == 0 || value.hash == hash { return value.alternatives }
            place = (place + 1) & mask
        }
    }

    @inline(__always)
    private func consider(
        _ list: Span32, _ search: EngineTables.Search, _ best: inout UInt32
    ) {
        for index in list.range {
            let alternative = search.lists[index]
            // The lists ascend: what follows is later still.
            guard alternative < best else { return }
            if holds(tables.alternatives[Int(alternative)]) {
                best = alternative
                return
            }
        }
    }

    // MARK: Truth

    /// Whether any alternative of a guard, a fact or a hint holds; an empty list asks for nothing.
    func holdsAny(_ span: Span32) -> Bool {
        guard span.count > 0 else { return true }
        for index in span.range where holds(tables.alternatives[index]) { return true }
        return false
    }

    func holds(_ alternative: Alternative) -> Bool {
        // A pack's condition is mostly the name of a program and rules most others out.
        if alternative.guardIndex >= 0, !holdsAny(tables.guards[Int(alternative.guardIndex)]) {
            return false
        }
        for index in alternative.requirements.range where !holds(tables.requirements[index]) {
            return false
        }
        return true
    }

    func holds(_ requirement: Requirement) -> Bool {
        let slot = Int(requirement.slot)
        guard facts.has(slot) else { return requirement.isNegated }
        if requirement.test == .exists { return !requirement.isNegated }
        let fact = facts.values[slot]
        if fact.kind == .array {
            let isOne = forEachScalar(of: slot) { element in isTrue(requirement, of: element) }
            return isOne != requirement.isNegated
        }
        return isTrue(requirement, of: fact) != requirement.isNegated
    }

    private func isTrue(_ requirement: Requirement, of fact: Fact) -> Bool {
        switch requirement.test {
        case .exists:
            return true
        case .any:
            for index in requirement.literals.range
            where isEqual(fact, tables.literals[index]) { return true }
            return false
        case .contains:
            guard fact.kind == .text else { return false }
            for index in requirement.literals.range
            where TextMatch.contains(fact.text, text(of: tables.literals[index])) { return true }
            return false
        case .word:
            guard fact.kind == .text, fact.count <= Self.wordBytesMax else { return false }
            for index in requirement.literals.range
            where Words.equal(fact.text, text(of: tables.literals[index])) { return true }
            return false
        case .form:
            return wait(in: fact, form: requirement.form) != nil
        }
    }

    private func isEqual(_ fact: Fact, _ literal: Literal) -> Bool {
        switch literal.kind {
        case .integers:
            guard let number = fact.whole else { return false }
            return number >= literal.low && number <= literal.high
        case .text:
            return fact.kind == .text && TextMatch.isEqual(fact.text, text(of: literal))
        case .glob:
            return fact.kind == .text && TextMatch.matches(fact.text, pattern: text(of: literal))
        case .bool:
            if fact.kind == .bool { return fact.bits == literal.low }
            return fact.kind == .text
                && TextMatch.isEqual(fact.text, literal.low == 1 ? "true" : "false")
        }
    }

    @inline(__always)
    func text(of literal: Literal) -> UnsafeBufferPointer<UInt8> {
        let first = Int(literal.low)
        return UnsafeBufferPointer(rebasing: tables.texts[first..<first + Int(literal.high)])
    }

    /// Calls for each scalar of a list until one answers yes; a bounded number of them.
    @discardableResult
    func forEachScalar(of slot: Int, _ isFound: (Fact) -> Bool) -> Bool {
        guard let elements = facts.containers[slot].elements else { return false }
        var left = Self.listElementsMax
        for element in elements {
            guard left > 0 else { return false }
            left -= 1
            if let fact = Fact(scalar: element), isFound(fact) { return true }
        }
        return false
    }

    /// Arguments of a command, values of a repeated field: enough, and a bound on the work.
    static var listElementsMax: Int { 256 }
}
