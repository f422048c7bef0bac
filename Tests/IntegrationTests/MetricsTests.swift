import Support
import SystemKit
import Testing

/// Metrics, read as Prometheus reads them.
@Suite
struct MetricsTests {
    private struct Sample: Hashable {
        var name: String
        var labels: String
    }

    /// Reads the text format strictly: each family has its help and type once and before its
    /// samples, no sample stands twice, names and numbers are of the format.
    private func read(_ text: String) throws -> (types: [String: String], [Sample: Double]) {
        var types: [String: String] = [:]
        var samples: [Sample: Double] = [:]
        var helped: String?
        #expect(text.hasSuffix("\n"))
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            if line.hasPrefix("# HELP ") {
                try #require(words.count > 3 && line.hasSuffix("."), "\(line)")
                helped = String(words[2])
            } else if line.hasPrefix("# TYPE ") {
                try #require(words.count == 4 && helped == String(words[2]), "\(line)")
                try #require(types.updateValue(String(words[3]), forKey: String(words[2])) == nil)
            } else {
                let end = try #require(line.lastIndex(of: " "))
                let value = try #require(Double(line[line.index(after: end)...]), "\(line)")
                let parts = line[..<end].split(separator: "{", maxSplits: 1)
                let name = String(parts[0])
                let isName = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
                try #require(isName, "\(line)")
                let family = try #require(helped)
                try #require(name.hasPrefix(family), "\(line) stands under \(family)")
                let sample = Sample(name: name, labels: parts.count > 1 ? "{" + parts[1] : "")
                try #require(samples.updateValue(value, forKey: sample) == nil, "\(line) is twice")
            }
        }
        return (types, samples)
    }

    @Test
    func theyCountWhatHappened() throws {
        let daemon = try Scenario.started()
        let client = try daemon.connect()
        for _ in 0..<3 {
            try client.succeed(
                "Submit", ["operation": ["queue": "q"], "failure": ["test": "retry"]])
        }
        let leased = try client.succeed("Lease", ["queues": ["q"], "max": 1, "wait_ms": 5_000])
        let operation = leased["operations"][0]
        try client.succeed(
            "Report",
            ["id": operation["id"], "token": operation["token"], "outcome": "succeeded"])
        let text = try #require(try client.succeed("Metrics")["text"].string)
        let (types, samples) = try read(text)

        func value(_ name: String, _ labels: String = "") -> Double? {
            samples[Sample(name: name, labels: labels)]
        }
        #expect(value("retryd_submits_total") == 3)
        #expect(value("retryd_attempts_total", #"{outcome="succeeded"}"#) == 1)
        #expect(value("retryd_operations", #"{state="succeeded"}"#) == 1)
        #expect(value("retryd_submit_duration_seconds_count") == 3)
        #expect(value("retryd_submit_duration_seconds_bucket", #"{le="+Inf"}"#) == 3)
        #expect(value("retryd_lateness_seconds_count") == 1)
        #expect((value("retryd_submit_duration_seconds_sum") ?? 0) > 0)
        for (name, type) in types {
            #expect((type == "counter") == name.hasSuffix("_total"), "\(name)")
            #expect((type == "histogram") ? name.hasSuffix("_seconds") : true, "\(name)")
        }
    }

    @Test(.enabled(if: MetricsTests.hasPromtool, "needs promtool of Debian's prometheus"))
    func promtoolFindsNothing() throws {
        let daemon = try Scenario.started()
        let text = try #require(try daemon.connect().succeed("Metrics")["text"].string)
        let file = "\(daemon.directory.path)/metrics"
        try Files.writeAtomically(file, Array(text.utf8), mode: 0o600)
        let checked = try FinishedProgram.run(
            ["/bin/sh", "-c", "promtool check metrics <\(file)"])
        #expect(checked.end == .exited(code: 0), "\(checked.output)\(checked.errors)")
        #expect(checked.output + checked.errors == "")
    }

    private static let hasPromtool =
        (try? Files.status("/usr/bin/promtool")) != .some(nil)
}
