package import RetryCore
import RetryModel
import TOML

/// Reads the file of `retryctl simulate`: an outage, and who meets it. docs/COMMANDS.md has the
/// keys.
package enum OutageFile {
    private enum Key: String, CaseIterable {
        case seed, hosts, operations, workers, arrival, length, attempt, capacity, outage, failure
    }

    private enum OutageKey: String, CaseIterable {
        case from, to
    }

    private enum FailureKey: String, CaseIterable {
        case weight
        case decision
        case retryAfter = "retry-after"
    }

    /// What all hosts together may have: the scheduler of each is a real one.
    private static let operationsMax = 10_000_000
    private static let spans = Span.milliseconds(1)...Span.days(365)

    /// - Returns: The scenario with the standard policies.
    package static func read(
        _ bytes: [UInt8], file: String
    ) throws(ConfigurationError) -> OutageScenario {
        let root: TOMLTable
        do {
            root = try TOMLDocument.parse(bytes, file: file).root
        } catch {
            throw ConfigurationError(
                file: error.file, line: error.line, column: error.column, reason: error.message)
        }
        var scenario = OutageScenario()
        let parser = ConfigurationParser(
            names: NameResolver(user: { _ in nil }, group: { _ in nil }))
        for entry in root.entries {
            let key: Key = try parser.known(entry, file, "key")
            let setting = parser.setting(entry, file)
            switch key {
            case .seed: scenario.seed = UInt64(try setting.integer(in: 0...Int.max))
            case .hosts: scenario.hosts = try setting.integer(in: 1...10_000)
            case .operations:
                scenario.operationsPerHost = try setting.integer(in: 1...1_000_000)
            case .workers: scenario.workersPerHost = try setting.integer(in: 1...10_000)
            case .arrival: scenario.arrival = try setting.span(in: .zero...spans.upperBound)
            case .length: scenario.length = try setting.span(in: spans)
            case .attempt: scenario.attemptLength = try setting.span(in: spans)
            case .capacity: scenario.capacityPerSecond = try setting.integer(in: 0...1_000_000_000)
            case .outage:
                scenario.outages = []
                for table in try tables(setting) {
                    scenario.outages.append(try outage(table, setting, parser))
                }
            case .failure:
                for table in try tables(setting) {
                    scenario.failures.append(try failure(table, setting, parser))
                }
            }
        }
        try check(scenario, file)
        return scenario
    }

    private static func check(
        _ scenario: OutageScenario, _ file: String
    ) throws(ConfigurationError) {
        if scenario.hosts * scenario.operationsPerHost > operationsMax {
            throw ConfigurationError(
                file: file, line: 0, column: 0,
                reason: "hosts × operations is more than \(operationsMax)")
        }
        if !scenario.failures.isEmpty, scenario.failures.allSatisfy({ $0.weight == 0 }) {
            throw ConfigurationError(
                file: file, line: 0, column: 0,
                reason: "every [[failure]] has the weight 0: one must be possible")
        }
    }

    private static func tables(_ setting: Setting) throws(ConfigurationError) -> [TOMLTable] {
        let tables = (setting.value.array ?? []).compactMap(\.table)
        guard !tables.isEmpty, tables.count == setting.value.array?.count else {
            throw setting.refused(
                "\(setting.key) is a list of sections: write [[\(setting.key)]]")
        }
        return tables
    }

    private static func outage(
        _ table: TOMLTable, _ list: Setting, _ parser: ConfigurationParser
    ) throws(ConfigurationError) -> Range<Span> {
        var from = Span.zero
        var to: Span?
        var last = list
        for entry in table.entries {
            let key: OutageKey = try parser.known(entry, list.file, "key", of: "[[outage]]")
            let setting = parser.setting(entry, list.file)
            let span = try setting.span(in: .zero...spans.upperBound)
            last = setting
            switch key {
            case .from: from = span
            case .to: to = span
            }
        }
        guard let to, from < to else {
            throw last.refused("an outage ends after it begins: write from = \"5min\", to = \"1h\"")
        }
        return from..<to
    }

    private static func failure(
        _ table: TOMLTable, _ list: Setting, _ parser: ConfigurationParser
    ) throws(ConfigurationError) -> OutageScenario.Failure {
        var weight = 1
        var disposition = Disposition.retry
        var hint = WaitHint.none
        for entry in table.entries {
            let key: FailureKey = try parser.known(entry, list.file, "key", of: "[[failure]]")
            let setting = parser.setting(entry, list.file)
            switch key {
            case .weight: weight = try setting.integer(in: 0...1_000_000)
            case .decision:
                disposition = try setting.word(of: [
                    ("retry", .retry), ("permanent", .permanent),
                ])
            case .retryAfter: hint = .after(try setting.span(in: spans))
            }
        }
        let verdict = Verdict(
            disposition: disposition, action: disposition == .permanent ? .introspectCause : .none,
            hint: hint, rule: 0)
        return OutageScenario.Failure(verdict, weight: weight)
    }
}
