package import RetryModel

/// Policies by number. A name keeps its number for the life of the store, so that a stored
/// decision always tells which policy it used.
package struct PolicyTable {
    private struct Entry {
        var name: String
        var isInForce: Bool
        /// The one of that name or, when there is none in the configuration in force, `default`.
        var policy: Policy
    }

    private var entries: [Entry]
    private var numbers: [String: PolicyIndex]
    /// The policy of a queue whose operations name none.
    private var ofQueue: [String: PolicyIndex] = [:]

    package init() {
        entries = [Entry(name: Policy.defaultName, isInForce: true, policy: .standard)]
        numbers = [Policy.defaultName: 0]
    }

    package subscript(index: PolicyIndex) -> Policy {
        @inline(__always) get {
            entries[Int(index) < entries.count ? Int(index) : 0].policy
        }
    }

    package func name(_ index: PolicyIndex) -> String {
        Int(index) < entries.count ? entries[Int(index)].name : Policy.defaultName
    }

    /// The number of a policy that is in force; nil when there is none of that name.
    package func index(named name: String) -> PolicyIndex? {
        guard let index = numbers[name], entries[Int(index)].isInForce else { return nil }
        return index
    }

    package func index(ofQueue queue: String) -> PolicyIndex? { ofQueue[queue] }

    /// Takes a name as the store numbered it.
    mutating func restore(_ index: PolicyIndex, name: String) {
        while entries.count <= Int(index) {
            entries.append(Entry(name: "", isInForce: false, policy: entries[0].policy))
        }
        entries[Int(index)].name = name
        numbers[name] = index
    }

    /// Puts the policies of a configuration in force and returns the names that are new.
    ///
    /// - Precondition: No more than 65,536 names come up in the life of a store.
    mutating func replace(
        with policies: [Policy], ofQueues queues: [(queue: String, policy: String)]
    ) -> [(PolicyIndex, String)] {
        var added: [(PolicyIndex, String)] = []
        let standard = policies.last { $0.name == Policy.defaultName } ?? .standard
        for index in entries.indices {
            entries[index].isInForce = index == 0
            entries[index].policy = standard
        }
        for policy in policies {
            if let index = numbers[policy.name] {
                entries[Int(index)].isInForce = true
                entries[Int(index)].policy = policy
            } else {
                precondition(entries.count <= Int(PolicyIndex.max), "too many names of policies")
                let index = PolicyIndex(entries.count)
                entries.append(Entry(name: policy.name, isInForce: true, policy: policy))
                numbers[policy.name] = index
                added.append((index, policy.name))
            }
        }
        ofQueue = [:]
        for (queue, name) in queues { ofQueue[queue] = index(named: name) }
        return added
    }
}
