/// Finds what somebody meant who misspelt a name.
package enum NearestName {
    /// The candidate with the smallest edit distance to `name`, if it is near enough to be meant:
    /// one letter wrong in a short name, two in a longer one, a third in a long one. The first of
    /// equals wins.
    ///
    /// An edit is a letter more, less or other, or two neighbours swapped. Case counts for nothing.
    package static func find(_ name: String, in candidates: some Sequence<String>) -> String? {
        let bound = name.utf8.count <= 4 ? 1 : max(2, name.utf8.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let distance = editDistance(name, candidate)
            guard distance <= bound, distance < candidate.utf8.count else { continue }
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// Optimal string alignment distance over bytes, ASCII case ignored.
    package static func editDistance(_ left: String, _ right: String) -> Int {
        let left = left.utf8.map(lowercased)
        let right = right.utf8.map(lowercased)
        // Rows of the usual table: two back, one back, and the one being filled.
        var older = [Int](repeating: 0, count: right.count + 1)
        var old = Array(0...right.count)
        var new = old
        for row in 0..<left.count {
            new[0] = row + 1
            for column in 0..<right.count {
                let change = left[row] == right[column] ? 0 : 1
                var distance = min(old[column + 1] + 1, new[column] + 1, old[column] + change)
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    distance = min(distance, older[column - 1] + 1)
                }
                new[column + 1] = distance
            }
            (older, old, new) = (old, new, older)
        }
        return old[right.count]
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}
