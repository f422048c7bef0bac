import JSON
import RetryClient

/// `retryctl shape`
package enum ShapeCommand {
    package static let definition = CommandDefinition(
        "shape", "show how long operations have been waiting, by what they have in common",
        examples: [
            .init("retryctl shape", "by queue, as Postfix's qshape does"),
            .init("retryctl shape --by destination --state held", "which remote party is down"),
        ],
        details: [
            "Each column counts operations whose first failure is so many minutes ago: up to 5, "
                + "from there to 10, and so on; the last one is for the rest. What has ended or "
                + "was given up is left out unless --state asks for it."
        ],
        options: FilterOptions.definitions + [
            .choice(
                "by", QueueShape.Grouping.allCases.map(\.rawValue), "what a row is (default queue)")
        ],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        let grouping =
            invocation.arguments.value("by").flatMap(QueueShape.Grouping.init) ?? .queue
        let filter = try FilterOptions.filter(invocation.arguments)
        var shape = QueueShape(grouping, nowUsec: invocation.nowUsec)
        try eachOperation(filter, invocation) { operation in
            if operation.isLive || filter.states != nil { shape.add(operation) }
        }
        if invocation.printsJSON {
            for row in shape.rows { try invocation.console.writeJSON(json(row, grouping)) }
        } else {
            try write(shape, grouping, invocation)
        }
        return ExitCode.success.rawValue
    }

    static func eachOperation(
        _ filter: OperationFilter, _ invocation: Invocation, _ body: (OperationSummary) -> Void
    ) throws(CommandFailure) {
        let stream = try invocation.ask { try $0.listStream(filter, limit: nil) }
        while true {
            let item = try invocation.ask { _ in try stream.next() }
            guard case .item(let answer) = item, let answer else { return }
            let page = try invocation.ask { _ in try OperationPage(answer) }
            for operation in page.operations { body(operation) }
        }
    }

    private static func write(
        _ shape: QueueShape, _ grouping: QueueShape.Grouping, _ invocation: Invocation
    ) throws(CommandFailure) {
        var columns = [Table.Column(grouping.rawValue.uppercased()), .init("T", .right)]
        columns += QueueShape.boundsMinutes.map { .init("\($0)", .right) }
        columns.append(.init("\(QueueShape.boundsMinutes.last ?? 0)+", .right))
        var table = Table(columns)
        let rows = shape.rows
        if rows.isEmpty { return invocation.console.say("Nothing waits.") }
        for row in [shape.total] + rows {
            table.append(
                [.init(row.name), .init("\(row.total)")] + row.counts.map { .init("\($0)") })
        }
        try table.write(to: invocation.console)
    }

    private static func json(_ row: QueueShape.Row, _ grouping: QueueShape.Grouping) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name(grouping.rawValue)
        writer.string(row.name)
        writer.name("total")
        writer.integer(row.total)
        writer.name("minutes")
        writer.beginArray()
        for (column, count) in row.counts.enumerated() {
            writer.beginObject()
            writer.name("below")
            if column < QueueShape.boundsMinutes.count {
                writer.integer(QueueShape.boundsMinutes[column])
            } else {
                writer.null()
            }
            writer.name("count")
            writer.integer(count)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }
}
