import JSON
import RetryCLI
import RetryClient
import Support
import Testing

@Suite struct QueueShapeTests {
    @Test func countsByAge() throws {
        var shape = QueueShape(.queue, nowUsec: 10_000 * 60_000_000)
        for (queue, minutes) in [
            ("mail", 0), ("mail", 4), ("mail", 5), ("web", 1_279), ("web", 1_280),
        ] as [(String, Int64)] {
            let parser = JSONParser(lengthMax: 4_096, depthMax: 8)
            defer { withExtendedLifetime(parser) {} }
            var operation = try OperationSummary(
                parser.parse(Array(Replies.summary(id: 1, state: "scheduled").utf8)))
            operation.queue = queue
            operation.firstFailureUsec = (10_000 - minutes) * 60_000_000
            shape.add(operation)
        }
        #expect(shape.rows.map(\.name) == ["mail", "web"])
        #expect(shape.rows[0].counts == [2, 1, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(shape.rows[1].counts == [0, 0, 0, 0, 0, 0, 0, 0, 1, 1])
        #expect(shape.total.total == 5)
    }
}
