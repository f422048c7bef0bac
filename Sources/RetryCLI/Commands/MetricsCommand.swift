import RetryClient

/// `retryctl metrics`
package enum MetricsCommand {
    package static let definition = CommandDefinition(
        "metrics", "print counters and histograms for Prometheus",
        examples: [
            .init(
                "retryctl metrics | sponge /var/lib/prometheus/node-exporter/retryd.prom",
                "for node_exporter's textfile collector, say every 15 s from a timer")
        ],
        details: ["Counts everybody's operations, so it is for root and admins."],
        run: run)

    private static func run(_ invocation: Invocation) throws(CommandFailure) -> Int32 {
        // One line each, from the daemon itself: nothing in it came from somebody else.
        let text = try invocation.ask { try $0.metrics() }
        for line in text.split(separator: "\n") { try invocation.console.writeLine(String(line)) }
        return ExitCode.success.rawValue
    }
}
