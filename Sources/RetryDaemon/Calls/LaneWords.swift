import JSON
import RetryModel

/// What an operation says about its lane. Views on the call.
struct LaneWords {
    var kind: Kind?
    var queue: JSONText?
    var destination: JSONText?
    var credential: JSONText?
    var scope: JSONText?
    var policy: JSONText?
}

/// The lane of a connection's last submit. The next one nearly always says the same; then no
/// string is made, and rights and names need not be looked up again.
final class LaneMemo {
    let lane: Lane
    /// Rights and policies are those of this configuration.
    private let settings: Settings
    private let kind: Kind?
    /// The words behind each other: 0 for one that is not there, else 1, its length and its bytes.
    private let words: [UInt8]

    init(_ words: LaneWords, _ lane: Lane, _ settings: Settings) {
        self.lane = lane
        self.settings = settings
        kind = words.kind
        var bytes: [UInt8] = []
        for word in [words.queue, words.destination, words.credential, words.scope, words.policy] {
            guard let word else {
                bytes.append(0)
                continue
            }
            bytes.append(1)
            bytes.append(UInt8(word.count))
            bytes.append(contentsOf: word.bytes)
        }
        self.words = bytes
    }

    /// Whether the same words were said under the same configuration.
    func holds(for said: LaneWords, _ settings: Settings) -> Bool {
        guard settings === self.settings, said.kind == kind else { return false }
        return words.withUnsafeBufferPointer { words in
            var place = 0
            return Self.take(said.queue, words, &place)
                && Self.take(said.destination, words, &place)
                && Self.take(said.credential, words, &place)
                && Self.take(said.scope, words, &place) && Self.take(said.policy, words, &place)
        }
    }

    /// Goes behind the next word if it is the one that was said.
    private static func take(
        _ said: JSONText?, _ words: UnsafeBufferPointer<UInt8>, _ place: inout Int
    ) -> Bool {
        guard let said else {
            place += 1
            return words[place - 1] == 0
        }
        guard words[place] == 1, Int(words[place + 1]) == said.count else { return false }
        place += 2
        for index in 0..<said.count where said.base[index] != words[place + index] { return false }
        place += said.count
        return true
    }
}
