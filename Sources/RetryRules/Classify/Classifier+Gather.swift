import JSON
import RetryModel

// One walk over the document fills the slots that rules ask about; everything else in it is
// stepped over.
extension Classifier {
    /// Fills the fact table from a document that is an object.
    func gather(_ failure: JSONValue) {
        facts.clear()
        scratch.reset()
        causeCount = 0
        causeParent = -1
        hasTooManyCauses = false
        walkMembers(of: failure, at: 0, folds: false)
        // Outer errors first: of a chain, `nserror` is the error that was told.
        var index = 0
        while index < causeCount {
            causeParent = index
            walkCause(causes[index], followsLinks: true)
            index += 1
        }
        if !options.recoversAutomatically {
            facts.set(Int(program.slots.recoveryDisabled), Fact(kind: .bool, bits: 1))
        }
        for word in 0..<facts.maskWords { told[word] = facts.present[word] }
        readReceivedAt()
        derive(onlyOfCause: false)
    }

    /// Fills the slots of `nserror` from one error of the chain.
    func walkCause(_ error: JSONValue, followsLinks: Bool) {
        guard let members = error.members else { return }
        for member in members {
            let child = child(of: Self.causeNode, folds: false, named: member.name)
            guard child != 0, followsLinks || child != Self.causeNode else { continue }
            walk(member.value, at: child, followsLinks: followsLinks)
        }
    }

    private static var causeNode: Int { 1 }

    private func walkMembers(
        of object: JSONValue, at node: Int, folds: Bool, followsLinks: Bool = true
    ) {
        guard let members = object.members else { return }
        for member in members {
            let child = child(of: node, folds: folds, named: member.name)
            if child != 0 { walk(member.value, at: child, followsLinks: followsLinks) }
        }
    }

    private func walk(_ value: JSONValue, at index: Int, followsLinks: Bool = true) {
        let node = tables.nodes[index]
        if node.slot >= 0 { facts.fill(Int(node.slot), value) }
        switch node.kind {
        case .plain:
            guard node.hasChildren, value.kind == .object else { return }
            walkMembers(of: value, at: index, folds: false, followsLinks: followsLinks)
        case .fields:
            walkFields(value, at: index, folds: node.foldsNames)
        case .body:
            walkBody(value, at: index)
        case .cause:
            if followsLinks { addCauses(value) }
        }
    }

    /// The branch of a name; 0 where nobody asks for it.
    @inline(__always)
    private func child(of node: Int, folds: Bool, named name: JSONText) -> Int {
        child(of: node, folds: folds, named: name.bytes)
    }

    @inline(__always)
    private func child(
        of node: Int, folds: Bool, named name: UnsafeBufferPointer<UInt8>
    ) -> Int {
        guard let base = name.baseAddress else { return 0 }
        let seed = PathTrie.seed(node)
        let hash =
            folds
            ? ByteHash.foldedHash(base, name.count, seed: seed)
            : ByteHash.hash(base, name.count, seed: seed)
        let mask = tables.branches.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while true {
            let branch = tables.branches[place]
            if branch.child == 0 { return 0 }
            if branch.hash == hash, Int(branch.parent) == node,
                Int(branch.nameLength) == name.count,
                isEqual(base, tables.names, at: Int(branch.name), count: name.count, folds: folds)
            {
                return Int(branch.child)
            }
            place = (place + 1) & mask
        }
    }

    @inline(__always)
    private func isEqual(
        _ text: UnsafePointer<UInt8>, _ names: UnsafeBufferPointer<UInt8>, at offset: Int,
        count: Int, folds: Bool
    ) -> Bool {
        for index in 0..<count {
            let byte = folds ? asciiLowercased(text[index]) : text[index]
            if byte != names[offset + index] { return false }
        }
        return true
    }

    // MARK: Header fields

    /// Fields come as an object, or as a list of pairs or of objects with name and value.
    private func walkFields(_ value: JSONValue, at index: Int, folds: Bool) {
        if value.kind == .object {
            walkMembers(of: value, at: index, folds: folds)
            return
        }
        guard let elements = value.elements else { return }
        for element in elements {
            var name = element["name"]
            var content = element["value"]
            if let pair = element.elements {
                var iterator = pair.makeIterator()
                name = iterator.next()
                content = iterator.next()
            }
            guard let name = name?.text, let content else { continue }
            let child = child(of: index, folds: folds, named: name)
            if child != 0 { walk(content, at: child) }
        }
    }

    // MARK: Bodies

    /// A body may be an object, a JSON text, a form or plain text; each is looked into.
    private func walkBody(_ value: JSONValue, at index: Int) {
        guard tables.nodes[index].hasChildren else { return }
        if value.kind == .object {
            walkMembers(of: value, at: index, folds: false)
            return
        }
        if let first = value.elements?.makeIterator().first(where: { $0.kind == .object }) {
            // Some services answer with a list of errors; its first one speaks for it.
            walkMembers(of: first, at: index, folds: false)
            return
        }
        guard let text = value.text?.bytes else { return }
        switch BodyText.form(of: text) {
        case .json:
            if let parsed = scratch.parsed(text) {
                if parsed.kind == .object { walkMembers(of: parsed, at: index, folds: false) }
            }
        case .form:
            walkForm(text, at: index)
        case .plain:
            break
        }
    }

    private func walkForm(_ text: UnsafeBufferPointer<UInt8>, at index: Int) {
        var start = 0
        while start <= text.count {
            let end = text[start...].firstIndex(of: 0x26) ?? text.count
            let pair = UnsafeBufferPointer(rebasing: text[start..<end])
            start = end + 1
            guard let equals = pair.firstIndex(of: 0x3D), equals > 0 else { continue }
            let name = UnsafeBufferPointer(rebasing: pair[..<equals])
            let child = child(of: index, folds: false, named: name)
            guard child != 0 else { continue }
            let slot = Int(tables.nodes[child].slot)
            guard slot >= 0, !facts.has(slot) else { continue }
            let content = UnsafeBufferPointer(rebasing: pair[(equals + 1)...])
            guard let decoded = scratch.decoded(content), let base = decoded.baseAddress else {
                continue
            }
            facts.set(slot, Fact(text: base, count: decoded.count))
        }
    }

    // MARK: Causes

    private func addCauses(_ value: JSONValue) {
        if let elements = value.elements {
            for element in elements { addCause(element) }
        } else {
            addCause(value)
        }
    }

    private func addCause(_ value: JSONValue) {
        guard value.kind == .object else { return }
        guard causeCount < Self.causesMax else {
            hasTooManyCauses = true
            return
        }
        (causes + causeCount).initialize(to: value)
        (causeParents + causeCount).initialize(to: causeParent)
        causeCount += 1
    }
}
