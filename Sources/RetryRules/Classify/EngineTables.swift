/// The tables of a program where the classifier can read them without counting references.
struct EngineTables {
    let nodes: UnsafeBufferPointer<PathTrie.Node>
    let branches: UnsafeBufferPointer<PathTrie.Branch>
    let names: UnsafeBufferPointer<UInt8>
    let texts: UnsafeBufferPointer<UInt8>
    let literals: UnsafeBufferPointer<Literal>
    let requirements: UnsafeBufferPointer<Requirement>
    let alternatives: UnsafeBufferPointer<Alternative>
    let guards: UnsafeBufferPointer<Span32>
    let facts: UnsafeBufferPointer<FactStep>
    let sources: UnsafeBufferPointer<UInt16>
    /// For each fact the slots it is read from, a bit each: `maskWords` words.
    let sourceMasks: UnsafeBufferPointer<UInt64>
    let maskWords: Int
    let hints: UnsafeBufferPointer<HintStep>
    let hintGroups: UnsafeBufferPointer<Span32>
    let ruleHints: UnsafeBufferPointer<Span32>
    let hintLists: UnsafeBufferPointer<UInt16>
    let answer: Search
    let transport: Search
    let remainder: Search

    struct Search {
        let anchors: UnsafeBufferPointer<SearchTable.Anchor>
        let anchored: UnsafeBufferPointer<UInt64>
        let values: UnsafeBufferPointer<SearchTable.Value>
        let lists: UnsafeBufferPointer<UInt32>
        let always: Span32

        init(_ table: SearchTable) {
            anchors = copied(table.anchors)
            anchored = copied(table.anchored)
            values = copied(table.values)
            lists = copied(table.lists)
            always = table.always
        }

        func deallocate() {
            anchors.deallocate()
            anchored.deallocate()
            values.deallocate()
            lists.deallocate()
        }
    }

    init(_ program: Program) {
        nodes = copied(program.trie.nodes)
        branches = copied(program.trie.branches)
        names = copied(program.trie.names)
        texts = copied(program.texts)
        literals = copied(program.literals)
        requirements = copied(program.requirements)
        alternatives = copied(program.alternatives)
        guards = copied(program.guards)
        facts = copied(program.facts)
        sources = copied(program.factSources)
        sourceMasks = copied(Self.sourceMasks(program))
        maskWords = program.maskWords
        hints = copied(program.hints)
        hintGroups = copied(program.hintGroups)
        ruleHints = copied(program.ruleHints)
        hintLists = copied(program.hintLists)
        answer = Search(program.searches[Stage.answer.rawValue])
        transport = Search(program.searches[Stage.transport.rawValue])
        remainder = Search(program.searches[Stage.remainder.rawValue])
    }

    func deallocate() {
        nodes.deallocate()
        branches.deallocate()
        names.deallocate()
        texts.deallocate()
        literals.deallocate()
        requirements.deallocate()
        alternatives.deallocate()
        guards.deallocate()
        facts.deallocate()
        sources.deallocate()
        sourceMasks.deallocate()
        hints.deallocate()
        hintGroups.deallocate()
        ruleHints.deallocate()
        hintLists.deallocate()
        answer.deallocate()
        transport.deallocate()
        remainder.deallocate()
    }

    private static func sourceMasks(_ program: Program) -> [UInt64] {
        var masks = [UInt64](repeating: 0, count: program.facts.count * program.maskWords)
        for (number, step) in program.facts.enumerated() {
            for index in step.sources.range {
                let slot = Int(program.factSources[index])
                masks[number * program.maskWords + slot >> 6] |= 1 << UInt64(slot & 63)
            }
        }
        return masks
    }

    /// Whether one of the slots that a fact is read from is filled.
    @inline(__always)
    func hasSource(ofFact number: Int, in present: UnsafeMutablePointer<UInt64>) -> Bool {
        for word in 0..<maskWords
        where sourceMasks[number * maskWords + word] & present[word] != 0 {
            return true
        }
        return false
    }

    @inline(__always)
    func search(_ stage: Stage) -> Search {
        switch stage {
        case .answer: answer
        case .transport: transport
        case .remainder: remainder
        }
    }
}

/// A copy of an array of plain values that its owner deallocates.
private func copied<Element: BitwiseCopyable>(
    _ array: [Element]
) -> UnsafeBufferPointer<Element> {
    let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: array.count)
    _ = copy.initialize(from: array)
    return UnsafeBufferPointer(copy)
}
