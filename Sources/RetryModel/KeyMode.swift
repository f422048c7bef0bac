/// What a second Submit of a key means (spec section 5, table in docs/STATES.md).
@frozen
public enum KeyMode: UInt8, Sendable, CaseIterable {
    /// The existing operation is the answer; a dead one is revived with fresh limits.
    case keep = 0
    /// The existing operation takes the new payload and failure; a running attempt is fenced.
    case replace = 1
    /// As `keep`, and the existing one takes the higher of both priorities.
    case coalesce = 2

    public var name: StaticString {
        switch self {
        case .keep: "keep"
        case .replace: "replace"
        case .coalesce: "coalesce"
        }
    }
}
