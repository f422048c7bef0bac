/// All paths of a rule set as one tree, with one table for all its branches.
struct PathTrie: Sendable {
    /// What a name stands for.
    struct Node: Sendable {
        /// -1: nobody asks for the value itself.
        var slot: Int16 = -1
        var hasChildren = false
        /// Names below are header fields: upper and lower case count the same.
        var foldsNames = false
        var kind = Kind.plain
    }

    enum Kind: UInt8, Sendable {
        case plain
        /// Names and values, as an object or as a list of pairs.
        case fields
        /// May also come as a JSON text, as a form or as plain text.
        case body
        /// An error with causes of its own.
        case cause
    }

    /// A name under a node. Free places have `child` 0: the root is nobody's child.
    struct Branch: Sendable {
        var hash: UInt64 = 0
        var parent: UInt16 = 0
        var child: UInt16 = 0
        var nameLength: UInt32 = 0
        var name: UInt32 = 0
    }

    var nodes: [Node] = [Node()]
    var branches: [Branch] = []
    var names: [UInt8] = []

    /// Distinguishes equal names under different nodes.
    @inline(__always)
    static func seed(_ node: Int) -> UInt64 { UInt64(truncatingIfNeeded: node) &* 0x9E37_79B9 }

    static func hash(_ name: [UInt8], under node: Int, folded: Bool) -> UInt64 {
        name.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            return folded
                ? ByteHash.foldedHash(base, bytes.count, seed: seed(node))
                : ByteHash.hash(base, bytes.count, seed: seed(node))
        }
    }
}

/// Builds a trie from paths, one slot for each path asked for.
struct PathTrieBuilder {
    private var nodes: [PathTrie.Node] = [PathTrie.Node()]
    private var children: [[String: Int]] = [[:]]
    private(set) var slotNames: [String] = []
    /// The node of `nserror`; every error in a chain is read there.
    private let cause: Int

    /// Names under which an error keeps the error behind it.
    static let causeLinks: [RulePath] = [
        RulePath(segments: ["nserror", "underlying"]),
        RulePath(segments: ["nserror", "cause"]),
        RulePath(segments: ["nserror", "userInfo", "NSUnderlyingError"]),
        RulePath(segments: ["nserror", "userInfo", "NSUnderlyingErrorKey"]),
        RulePath(segments: ["nserror", "userInfo", "NSMultipleUnderlyingErrorsKey"]),
        RulePath(segments: ["haapi", "cause"]),
    ]

    init() {
        cause = 1
        let nserror = child(of: 0, named: "nserror")
        precondition(nserror == cause, "nserror is the first path")
        nodes[cause].kind = .cause
        let headers = node(at: ["http", "headers"])
        nodes[headers].kind = .fields
        nodes[headers].foldsNames = true
        let metadata = node(at: ["grpc", "metadata"])
        nodes[metadata].kind = .fields
        nodes[metadata].foldsNames = true
        nodes[node(at: ["http", "body"])].kind = .body
        for link in Self.causeLinks {
            let parent = node(at: Array(link.segments.dropLast()))
            children[parent][link.segments[link.segments.count - 1]] = cause
        }
    }

    /// Whether a path leads through an error's cause, of which there is one at a time.
    static func leadsThroughCause(_ path: RulePath) -> Bool {
        causeLinks.contains { link in path.segments.starts(with: link.segments) }
    }

    mutating func slot(for path: RulePath) -> UInt16 {
        let node = node(at: path.segments)
        if nodes[node].slot < 0 {
            nodes[node].slot = Int16(clamping: slotNames.count)
            slotNames.append(path.text)
        }
        return UInt16(nodes[node].slot)
    }

    /// Slots of a node and of everything below it, causes behind causes excluded.
    func slots(under segments: [String]) -> Set<UInt16> {
        var found: Set<UInt16> = []
        var node = 0
        for segment in segments {
            guard let next = children[node][segment] else { return [] }
            node = next
        }
        var open = [node]
        while let next = open.popLast() {
            if nodes[next].slot >= 0 { found.insert(UInt16(nodes[next].slot)) }
            open += children[next].values.filter { child in child != cause }
        }
        return found
    }

    private mutating func node(at segments: [String]) -> Int {
        var node = 0
        for segment in segments { node = child(of: node, named: segment) }
        return node
    }

    private mutating func child(of parent: Int, named name: String) -> Int {
        let name = nodes[parent].foldsNames ? name.lowercased() : name
        if let child = children[parent][name] { return child }
        let child = nodes.count
        nodes.append(PathTrie.Node())
        children.append([:])
        children[parent][name] = child
        return child
    }

    func build() -> PathTrie {
        var trie = PathTrie()
        trie.nodes = nodes
        let count = children.reduce(0) { sum, names in sum + names.count }
        // At most half full, so that a miss is found out at once.
        var capacity = 16
        while capacity < 2 * count { capacity *= 2 }
        trie.branches = Array(repeating: PathTrie.Branch(), count: capacity)
        for (parent, names) in children.enumerated() {
            trie.nodes[parent].hasChildren = !names.isEmpty
            for (name, child) in names.sorted(by: { left, right in left.key < right.key }) {
                let bytes = Array(name.utf8)
                var branch = PathTrie.Branch()
                branch.hash = PathTrie.hash(bytes, under: parent, folded: nodes[parent].foldsNames)
                branch.parent = UInt16(parent)
                branch.child = UInt16(child)
                branch.name = UInt32(trie.names.count)
                branch.nameLength = UInt32(bytes.count)
                trie.names += bytes
                var place = Int(truncatingIfNeeded: branch.hash) & (capacity - 1)
                while trie.branches[place].child != 0 { place = (place + 1) & (capacity - 1) }
                trie.branches[place] = branch
            }
        }
        return trie
    }
}
