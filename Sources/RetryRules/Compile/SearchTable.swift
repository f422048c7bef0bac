/// Finds the alternatives that could match, from the facts that are there.
///
/// Each alternative hangs on one of its conditions: best on an exact value, which is found by
/// hash, else on the presence of a slot. An alternative that needs no fact hangs on nothing.
struct SearchTable: Sendable {
    /// What hangs on a slot.
    struct Anchor: Sendable {
        var hasValues = false
        var hasWords = false
        /// Longer texts are not worth a look-up.
        var textLengthMax: UInt16 = 0
        /// Alternatives to try whenever the slot is filled.
        var present = Span32()
    }

    /// Free places have an empty span.
    struct Value: Sendable {
        var hash: UInt64 = 0
        var alternatives = Span32()
    }

    var anchors: [Anchor] = []
    var anchored: [UInt64] = []
    var values: [Value] = []
    /// Numbers of alternatives, ascending in each span.
    var lists: [UInt32] = []
    var always = Span32()

    static func seed(_ slot: UInt16, isWord: Bool) -> UInt64 {
        UInt64(slot) &* 0x1_0001 &+ (isWord ? 0x5851_F42D_4C95_7F2D : 0)
    }
}

/// Builds the search table of one stage.
struct SearchTableBuilder {
    /// A value an alternative can hang on.
    private struct Key: Hashable {
        var hash: UInt64
        var slot: UInt16
        var isWord: Bool
        var length: Int
    }

    private let program: Program
    private var keysByAlternative: [(alternative: UInt32, choices: [[Key]])] = []
    private var present: [UInt16: [UInt32]] = [:]
    private var always: [UInt32] = []

    /// A range of more numbers than that is looked through, not looked up.
    private static let rangeMax: Int64 = 512

    init(_ program: Program) {
        self.program = program
    }

    mutating func add(_ alternative: UInt32) {
        var choices: [[Key]] = []
        var filled: UInt16?
        for index in program.alternatives[Int(alternative)].requirements.range {
            let requirement = program.requirements[index]
            guard !requirement.isNegated else { continue }
            if let keys = keys(of: requirement) { choices.append(keys) }
            filled = filled ?? requirement.slot
        }
        if !choices.isEmpty {
            keysByAlternative.append((alternative, choices))
        } else if let filled {
            present[filled, default: []].append(alternative)
        } else {
            always.append(alternative)
        }
    }

    /// The values a condition is true for; nil where they can't be listed.
    private func keys(of requirement: Requirement) -> [Key]? {
        guard requirement.test == .any || requirement.test == .word else { return nil }
        var keys: [Key] = []
        let isWord = requirement.test == .word
        let seed = SearchTable.seed(requirement.slot, isWord: isWord)
        for index in requirement.literals.range {
            let literal = program.literals[index]
            switch literal.kind {
            case .text:
                let length = Int(literal.high)
                let hash = program.texts.withUnsafeBufferPointer { texts in
                    let text = UnsafeBufferPointer(
                        rebasing: texts[Int(literal.low)..<Int(literal.low) + length])
                    guard let base = text.baseAddress else { return UInt64(0) }
                    return isWord
                        ? Words.hash(text, seed: seed)
                        : ByteHash.hash(base, length, seed: seed)
                }
                keys.append(
                    Key(hash: hash, slot: requirement.slot, isWord: isWord, length: length))
            case .integers:
                let (span, overflow) = literal.high.subtractingReportingOverflow(literal.low)
                guard !overflow, span < Self.rangeMax else { return nil }
                for number in literal.low...literal.high {
                    let hash = ByteHash.hash(number, seed: seed)
                    keys.append(Key(hash: hash, slot: requirement.slot, isWord: false, length: 0))
                }
            case .glob, .bool:
                return nil
            }
        }
        return keys
    }

    func build() -> SearchTable {
        var uses: [UInt64: Int] = [:]
        for (_, choices) in keysByAlternative {
            for key in choices.joined() { uses[key.hash, default: 0] += 1 }
        }
        var byHash: [UInt64: [UInt32]] = [:]
        var table = SearchTable()
        table.anchors = Array(repeating: SearchTable.Anchor(), count: program.slotNames.count)
        table.anchored = Array(repeating: 0, count: program.maskWords)
        for (alternative, choices) in keysByAlternative {
            // The condition whose values fewest others ask for narrows the search most.
            let costs = choices.map { keys in keys.map { key in uses[key.hash] ?? 0 }.max() ?? 0 }
            guard let best = costs.indices.min(by: { costs[$0] < costs[$1] }) else { continue }
            for key in choices[best] {
                if byHash[key.hash]?.last != alternative {
                    byHash[key.hash, default: []].append(alternative)
                }
                mark(key, in: &table)
            }
        }
        for (slot, alternatives) in present.sorted(by: { left, right in left.key < right.key }) {
            table.anchors[Int(slot)].present = append(alternatives, to: &table)
            table.anchored[Int(slot) / 64] |= 1 << UInt64(slot % 64)
        }
        table.always = append(always, to: &table)
        fill(byHash, into: &table)
        return table
    }

    private func mark(_ key: Key, in table: inout SearchTable) {
        let slot = Int(key.slot)
        table.anchored[slot / 64] |= 1 << UInt64(slot % 64)
        if key.isWord {
            table.anchors[slot].hasWords = true
        } else {
            table.anchors[slot].hasValues = true
            table.anchors[slot].textLengthMax = max(
                table.anchors[slot].textLengthMax, UInt16(clamping: key.length))
        }
    }

    private func append(_ alternatives: [UInt32], to table: inout SearchTable) -> Span32 {
        let span = Span32(first: UInt32(table.lists.count), count: UInt32(alternatives.count))
        table.lists += alternatives.sorted()
        return span
    }

    private func fill(_ byHash: [UInt64: [UInt32]], into table: inout SearchTable) {
        var capacity = 16
        while capacity < 2 * byHash.count { capacity *= 2 }
        table.values = Array(repeating: SearchTable.Value(), count: capacity)
        for (hash, alternatives) in byHash.sorted(by: { left, right in left.key < right.key }) {
            var place = Int(truncatingIfNeeded: hash) & (capacity - 1)
            while table.values[place].alternatives.count != 0 {
                place = (place + 1) & (capacity - 1)
            }
            table.values[place] = SearchTable.Value(
                hash: hash, alternatives: append(alternatives, to: &table))
        }
    }
}
