package import RetryModel

/// Policies by number. A name keeps its number for the life of the store, so that a stored
/// decision always tells which policy it used.
package struct PolicyTable {
    private struct Entry {
        var name: String
        /// Nil: no such policy in the configuration in force; `default` stands in.
        var policy: Policy?
    }

    private var entries: [Entry]
    private var numbers: [String: PolicyIndex]
    /// The policy of a queue whose operations name none.
    private var ofQueue: [String: PolicyIndex] = [:]

    package init() {
        entries = [Entry(name: Policy.defaultName, policy: .standard)]
        numbers = [Policy.defaultName: 0]
    }

    package subscript(index: PolicyIndex) -> Policy {
        guard Int(index) < entries.count, let policy = entries[Int(index)].policy else {
            return entries[0].policy ?? .standard
        }
        return policy
    }

    package func name(_ index: PolicyIndex) -> String {
        Int(index) < entries.count ? entries[Int(index)].name : Policy.defaultName
    }

    /// The number of a policy that is in force; nil when there is none of that name.
    package func index(named name: String) -> PolicyIndex? {
        guard let index = numbers[name], entries[Int(index)].policy != nil else { return nil }
        return index
    }

    package func index(ofQueue queue: String) -> PolicyIndex? { ofQueue[queue] }

    /// Takes a name as the store numbered it.
    mutating func restore(_ index: PolicyIndex, name: String) {
        while entries.count <= Int(index) { entries.append(Entry(name: "", policy: nil)) }
        entries[Int(index)].name = name
        numbers[name] = index
    }

    /// Puts the policies of a configuration in force and returns the names that are new.
    mutating func replace(
        with policies: [Policy], ofQueues queues: [(queue: String, policy: String)]
    ) -> [(PolicyIndex, String)] {
        var added: [(PolicyIndex, String)] = []
        for index in entries.indices { entries[index].policy = nil }
        entries[0].policy = .standard
        for policy in policies {
            if let index = numbers[policy.name] {
                entries[Int(index)].policy = policy
            } else {
                let index = PolicyIndex(entries.count)
                entries.append(Entry(name: policy.name, policy: policy))
                numbers[policy.name] = index
                added.append((index, policy.name))
            }
        }
        ofQueue = [:]
        for (queue, name) in queues { ofQueue[queue] = index(named: name) }
        return added
    }
}
