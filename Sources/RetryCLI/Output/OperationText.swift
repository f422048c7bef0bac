package import RetryClient

/// Operations as people read them.
package enum OperationText {
    package static func colour(ofState state: String) -> Console.Colour? {
        switch state {
        case "succeeded": .green
        case "dead": .red
        case "parked": .yellow
        case "leased": .blue
        case "cancelled": .faint
        default: nil
        }
    }

    /// The state with its cause: "dead (too-old)".
    package static func state(_ operation: OperationSummary) -> String {
        operation.cause.map { "\(operation.state) (\($0))" } ?? operation.state
    }

    /// When it is due, or when its reason can next change by itself.
    package static func when(_ operation: OperationSummary, nowUsec: Int64) -> String {
        guard operation.isLive else { return "-" }
        guard let usec = operation.untilUsec ?? operation.dueUsec else { return "-" }
        return TimeText.relative(usec, nowUsec: nowUsec)
    }

    /// A reason with what it names: "signal foreground:user:1000".
    package static func reason(_ reason: ToldReason) -> String {
        var text = reason.code
        if let signal = reason.signal { text += " \(signal)" }
        if let queue = reason.queue { text += " (queue \(queue))" }
        if let cause = reason.cause { text += " \(cause)" }
        if let process = reason.processID { text += " process \(process)" }
        if let user = reason.userID { text += " of user \(user)" }
        return text
    }

    /// "1 attempt", "3 attempts".
    package static func attempts(_ count: Int) -> String {
        count == 1 ? "1 attempt" : "\(count) attempts"
    }

    /// "1 operation", "3 operations".
    package static func count(_ count: Int64) -> String {
        count == 1 ? "1 operation" : "\(count) operations"
    }
}
