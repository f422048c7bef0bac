/// A rule file for `RuleSet.compile`.
package struct RuleSource: Hashable, Sendable {
    package var path: String
    /// Rank of the directory it lies in: 0 is asked first (`/etc/retryd`).
    package var tier: Int
    package var bytes: [UInt8]

    package init(path: String, tier: Int, bytes: [UInt8]) {
        self.path = path
        self.tier = tier
        self.bytes = bytes
    }

    /// The last part of the path: files of the same name replace each other.
    package var name: Substring {
        path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
    }

    /// The files that count, in the order of their directories and, within one, of their names.
    ///
    /// A file of the same name in a higher directory replaces the lower one; an empty one (a link
    /// to /dev/null) thereby masks it.
    package static func effective(_ sources: [RuleSource]) -> [RuleSource] {
        var names: Set<Substring> = []
        return sources.sorted { left, right in
            (left.tier, String(left.name)) < (right.tier, String(right.name))
        }.filter { source in names.insert(source.name).inserted }
    }
}
