import JSON
package import RetryCore
import RetryModel

/// What simulations gave, for people and for programs.
package enum OutageReport {
    package struct Run {
        package var policy: String
        package var result: OutageResult

        package init(policy: String, result: OutageResult) {
            self.policy = policy
            self.result = result
        }
    }

    /// Rows of a chart, and characters of its longest bar.
    private static let rowsMax = 40
    private static let barWidth = 30

    package static func write(_ runs: [Run], _ console: Console) throws(CommandFailure) {
        try writeChart(runs, console)
        try console.writeLine("")
        var table = Table(
            [.init("")] + runs.map { Table.Column($0.policy, .right) })
        func row(_ name: String, _ value: (OutageResult) -> String) {
            table.append([.init(name)] + runs.map { .init(value($0.result)) })
        }
        row("attempts") { "\($0.attempts)" }
        row("succeeded") { "\($0.succeeded)" }
        row("given up") { "\($0.gaveUp)" }
        row("left at the end") { "\($0.left)" }
        row("peak, attempts in a second") { "\($0.peak)" }
        row("peak at") { $0.peakSecond.map { moment(Int64($0)) } ?? "-" }
        row("last success at") { $0.lastSuccess.map { moment($0.usec / 1_000_000) } ?? "-" }
        row("nothing left at") { $0.drained.map { moment($0.usec / 1_000_000) } ?? "-" }
        try table.write(to: console)
    }

    /// The peak of each stretch of time: an average would hide what a service has to bear.
    private static func writeChart(_ runs: [Run], _ console: Console) throws(CommandFailure) {
        let seconds = runs.map(\.result.attemptsPerSecond.count).max() ?? 0
        let stretch = max(1, (seconds + rowsMax - 1) / rowsMax)
        let largest = Int64(runs.map(\.result.peak).max() ?? 0)
        var table = Table(
            [.init("TIME", .right)]
                + runs.flatMap { [Table.Column("PEAK/S", .right), .init($0.policy)] })
        for start in stride(from: 0, to: seconds, by: stretch) {
            var row: [Table.Cell] = [.init(moment(Int64(start)))]
            for run in runs {
                let counts = run.result.attemptsPerSecond
                let part = counts.dropFirst(start).prefix(stretch)
                let peak = Int64(part.max() ?? 0)
                row += [.init("\(peak)"), .init(BarChart.bar(peak, of: largest, width: barWidth))]
            }
            table.append(row)
        }
        try table.write(to: console)
    }

    /// "1:02:03" after the beginning.
    private static func moment(_ seconds: Int64) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(seconds / 3_600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }

    package static func json(_ run: Run) -> [UInt8] {
        let result = run.result
        var writer = JSONWriter()
        func write(_ name: StaticString, _ number: Int64?) {
            writer.name(name)
            if let number { writer.integer(number) } else { writer.null() }
        }
        writer.beginObject()
        writer.name("policy")
        writer.string(run.policy)
        write("attempts", Int64(result.attempts))
        write("succeeded", Int64(result.succeeded))
        write("given_up", Int64(result.gaveUp))
        write("left", Int64(result.left))
        write("peak_per_second", Int64(result.peak))
        write("peak_second", result.peakSecond.map(Int64.init))
        write("last_success_ms", result.lastSuccess?.millisecondsUp)
        write("drained_ms", result.drained?.millisecondsUp)
        writer.name("attempts_per_second")
        writer.beginArray()
        for count in result.attemptsPerSecond { writer.integer(Int64(count)) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }
}
