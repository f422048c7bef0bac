package import RetryClient

/// How long operations have been waiting, by what they have in common: rows of counts by age, as
/// Postfix's qshape(1) prints them.
package struct QueueShape {
    /// What the rows are.
    package enum Grouping: String, CaseIterable {
        case queue
        case destination
        /// The rule that decided.
        case rule
        case owner
    }

    /// Upper bounds of all columns but the last, in minutes: each twice the one before, as qshape's.
    package static let boundsMinutes: [Int64] = [5, 10, 20, 40, 80, 160, 320, 640, 1_280]

    package struct Row: Hashable {
        package var name: String
        /// By age, the youngest first.
        package var counts = [Int64](repeating: 0, count: boundsMinutes.count + 1)
        package var total: Int64 { counts.reduce(0, +) }
    }

    private let grouping: Grouping
    private let nowUsec: Int64
    private var byName: [String: Row] = [:]

    package init(_ grouping: Grouping, nowUsec: Int64) {
        self.grouping = grouping
        self.nowUsec = nowUsec
    }

    package mutating func add(_ operation: OperationSummary) {
        let name =
            switch grouping {
            case .queue: operation.queue
            case .destination: operation.destination ?? "-"
            case .rule: operation.rule ?? "-"
            case .owner: "\(operation.ownerID)"
            }
        let ageUsec = nowUsec - operation.firstFailureUsec
        let column =
            QueueShape.boundsMinutes.firstIndex { ageUsec < $0 * 60_000_000 }
            ?? QueueShape.boundsMinutes.count
        byName[name, default: Row(name: name)].counts[column] += 1
    }

    /// The fullest first; those of one size by name.
    package var rows: [Row] {
        byName.values.sorted { ($1.total, $0.name) < ($0.total, $1.name) }
    }

    package var total: Row {
        var total = Row(name: "TOTAL")
        for row in byName.values {
            for column in row.counts.indices { total.counts[column] += row.counts[column] }
        }
        return total
    }
}
