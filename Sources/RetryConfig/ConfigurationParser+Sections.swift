import RetryModel
import TOML

extension ConfigurationParser {
    mutating func readLimits(_ table: TOMLTable, _ file: String) throws(ConfigurationError) {
        for entry in table.entries {
            let key: LimitKey = try known(entry, file, "key", of: "[limits]")
            let setting = setting(entry, file)
            let grace = Span.zero...Span.hours(1)
            switch key {
            case .payloadSize:
                configuration.limits.payloadBytesMax = try setting.size(in: 1_024...16 << 20)
            case .failureSize:
                configuration.limits.failureBytesMax = try setting.size(in: 1_024...4 << 20)
            case .operations:
                configuration.limits.operationsMax = try setting.integer(in: 1...100_000_000)
            case .operationsPerUser:
                configuration.limits.operationsPerUserMax =
                    try setting.integer(in: 1...100_000_000)
            case .bytesPerUser:
                configuration.limits.bytesPerUserMax = try setting.size(in: 1_024...1 << 50)
            case .connections:
                configuration.limits.connectionsMax = try setting.integer(in: 1...65_536)
            case .connectionsPerUser:
                configuration.limits.connectionsPerUserMax = try setting.integer(in: 1...65_536)
            case .reconnectGrace:
                configuration.limits.reconnectGrace = try setting.span(in: grace)
            case .restartGrace:
                configuration.limits.restartGrace = try setting.span(in: grace)
            }
        }
    }

    mutating func readRetention(_ table: TOMLTable, _ file: String) throws(ConfigurationError) {
        for entry in table.entries {
            let key: RetentionKey = try known(entry, file, "key", of: "[retention]")
            let setting = setting(entry, file)
            let kept = Span.zero...Span.days(3_650)
            let counts = 0...100_000_000
            switch key {
            case .ended: configuration.retention.ended = try setting.span(in: kept)
            case .endedCount:
                configuration.retention.endedCountMax = try setting.integer(in: counts)
            case .dead: configuration.retention.dead = try setting.span(in: kept)
            case .deadCount:
                configuration.retention.deadCountMax = try setting.integer(in: counts)
            case .events: configuration.retention.events = try setting.span(in: kept)
            case .attempts:
                configuration.retention.attemptsMax = try setting.integer(in: 2...1_024)
            }
        }
    }

    mutating func readQueue(
        _ queue: TOMLTable.Entry, _ file: String
    ) throws(ConfigurationError) {
        try checkName(queue, "queue", file)
        var settings = configuration.queues[queue.key] ?? QueueSettings()
        for entry in try section(queue, "queue", file).entries {
            let key: QueueKey = try known(entry, file, "key", of: "[queue.\(queue.key)]")
            let setting = setting(entry, file)
            switch key {
            case .workers: settings.workers = try users(setting)
            case .submitters: settings.submitters = try users(setting)
            case .policy: queuePolicies[queue.key] = setting
            }
        }
        configuration.queues[queue.key] = settings
    }

    /// The table of `[policy.NAME]` or `[queue.NAME]`.
    func section(
        _ entry: TOMLTable.Entry, _ kind: String, _ file: String
    ) throws(ConfigurationError) -> TOMLTable {
        guard let table = entry.value.table else {
            throw setting(entry, file).refused(
                "[\(kind)] has one section for each name: write [\(kind).NAME] above \(entry.key)")
        }
        // [queue.mail.send] means the key `send` of [queue.mail] to TOML.
        if let inner = table.entries.first(where: { $0.value.table != nil }) {
            throw setting(inner, file).refused(
                "a name with a dot is quoted: write [\(kind).\"\(entry.key).\(inner.key)\"]")
        }
        return table
    }

    func checkName(
        _ entry: TOMLTable.Entry, _ kind: String, _ file: String
    ) throws(ConfigurationError) {
        guard !entry.key.isEmpty, entry.key.utf8.count <= Limits.nameBytesMax else {
            throw ConfigurationError(
                file: file, line: entry.keyPosition.line, column: entry.keyPosition.column,
                reason: "the name of a \(kind) has 1 to \(Limits.nameBytesMax) bytes")
        }
    }
}
