import JSON

// The transport phase. A failure may carry a chain of errors, each the cause of the one before;
// the deepest that any rule knows decides (taxonomy section 0, step 4).
extension Classifier {
    func firstMatchOfCauses() -> Int? {
        guard causeCount > 0 else { return firstMatch(.transport) }
        save()
        defer { restore() }
        // An error number that stands beside the chain came from the system: nothing is deeper.
        keep { word in ~program.slots.ofCause[word] | toldBesideCause(word) }
        derive(onlyOfCause: true)
        if let rule = firstMatch(.transport) { return rule }
        for index in stride(from: causeCount - 1, through: 0, by: -1) {
            guard !isEcho(index) else {
                trace?.skippedEcho(causes[index])
                continue
            }
            look(at: index)
            if let rule = firstMatch(.transport) { return rule }
        }
        return nil
    }

    /// Makes one error of the chain the one that rules see as `nserror`.
    private func look(at index: Int) {
        keep { word in
            (~program.slots.ofCause[word] | toldBesideCause(word))
                & ~program.slots.besideCause[word]
        }
        // Only the outermost error names the platform; its causes are from there too.
        if let platform = causes[index]["platform"] {
            let slot = Int(program.slots.causePlatform)
            facts.present[slot >> 6] &= ~(1 << UInt64(slot & 63))
            facts.fill(slot, platform)
        }
        walkCause(causes[index], followsLinks: false)
        derive(onlyOfCause: true)
        trace?.lookedAt(causes[index])
    }

    /// An error that repeats the one it is said to have caused adds nothing: swift-corelibs puts
    /// the same domain and code under each of its errors.
    private func isEcho(_ index: Int) -> Bool {
        let parent = causeParents[index]
        guard parent >= 0 else { return false }
        let inner = causes[index]
        let outer = causes[parent]
        guard let code = inner["code"]?.integer, code == outer["code"]?.integer else {
            return false
        }
        guard let domain = inner["domain"]?.text, let outerDomain = outer["domain"]?.text else {
            return false
        }
        return domain == outerDomain
    }

    /// What the document says itself is no fact of a cause, though it could be read from one.
    @inline(__always)
    private func toldBesideCause(_ word: Int) -> UInt64 {
        told[word] & ~program.slots.inCause[word]
    }

    @inline(__always)
    private func keep(_ mask: (Int) -> UInt64) {
        for word in 0..<facts.maskWords { facts.present[word] = savedPresent[word] & mask(word) }
    }

    private func save() {
        for word in 0..<facts.maskWords { savedPresent[word] = facts.present[word] }
        forEachSaved { slot in savedValues[slot] = facts.values[slot] }
    }

    private func restore() {
        for word in 0..<facts.maskWords { facts.present[word] = savedPresent[word] }
        forEachSaved { slot in facts.values[slot] = savedValues[slot] }
        trace?.lookedAtAll()
    }

    /// The filled slots that looking at a cause overwrites.
    @inline(__always)
    private func forEachSaved(_ body: (Int) -> Void) {
        for word in 0..<facts.maskWords {
            var open = savedPresent[word] & program.slots.ofCause[word]
            while open != 0 {
                body(word << 6 | open.trailingZeroBitCount)
                open &= open - 1
            }
        }
        body(Int(program.slots.causePlatform))
    }
}
