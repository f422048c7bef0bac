import RetryModel
import TOML

/// Builds a configuration out of files, read in order; a later file overrides key by key.
package struct ConfigurationParser {
    var configuration = Configuration.standard
    /// What is odd but no reason to refuse, each with its place.
    package private(set) var warnings: [String] = []
    let names: NameResolver
    /// Settings of each policy in the order read; they mean something once all files are known.
    var policySettings: [String: [Setting]] = [:]
    var queuePolicies: [String: Setting] = [:]
    /// Settings of each destination, likewise.
    var destinationSettings: [String: [Setting]] = [:]
    private var adminGroup: Setting?

    package init(names: NameResolver) {
        self.names = names
    }

    /// Reads one more file.
    package mutating func read(_ bytes: [UInt8], file: String) throws(ConfigurationError) {
        let root: TOMLTable
        do {
            root = try TOMLDocument.parse(bytes, file: file).root
        } catch {
            throw ConfigurationError(
                file: error.file, line: error.line, column: error.column, reason: error.message)
        }
        for entry in root.entries {
            let section: SectionKey = try known(entry, file, "section", written: "[\(entry.key)]")
            switch section {
            case .limits: try readLimits(table(entry, file), file)
            case .retention: try readRetention(table(entry, file), file)
            case .policy:
                for policy in try table(entry, file).entries { try readPolicy(policy, file) }
            case .queue:
                for queue in try table(entry, file).entries { try readQueue(queue, file) }
            case .destination:
                for destination in try table(entry, file).entries {
                    try readDestination(destination, file)
                }
            case .ramp: try readRamp(table(entry, file), file)
            case .command: try readCommand(table(entry, file), file)
            case .rules: try readRules(table(entry, file), file)
            case .signals: try readSignals(table(entry, file), file)
            case .admin: try readAdmin(table(entry, file), file)
            case .journal: try readJournal(table(entry, file), file)
            }
        }
    }

    /// What all files together mean.
    package mutating func finish() throws(ConfigurationError) -> Configuration {
        try applyPolicies()
        try applyDestinations()
        for (queue, setting) in queuePolicies.sorted(by: { $0.key < $1.key }) {
            let policy = try setting.string()
            guard configuration.policyIndex(named: policy) != nil else {
                let names = configuration.policies.map(\.name)
                throw setting.refused(
                    "no policy \"\(policy)\"\(Setting.suggestion(for: policy, in: names))")
            }
            configuration.queues[queue, default: QueueSettings()].policy = policy
        }
        configuration.adminGroup = names.group(configuration.adminGroupName)
        if let adminGroup, configuration.adminGroup == nil {
            let name = configuration.adminGroupName
            warn("\(adminGroup.refused("no group \"\(name)\"; only root is admin"))")
        }
        return configuration
    }

    mutating func warn(_ warning: String) {
        warnings.append(warning)
    }

    // MARK: Small sections

    private mutating func readCommand(
        _ table: TOMLTable, _ file: String
    ) throws(ConfigurationError) {
        for entry in table.entries {
            let key: CommandKey = try known(entry, file, "key", of: "[command]")
            switch key {
            case .allowUsers:
                configuration.commandUsers = try users(setting(entry, file))
            }
        }
    }

    private mutating func readRules(
        _ table: TOMLTable, _ file: String
    ) throws(ConfigurationError) {
        for entry in table.entries {
            let key: RulesKey = try known(entry, file, "key", of: "[rules]")
            switch key {
            case .recoverAutomatically:
                configuration.recoversAutomatically = try setting(entry, file).bool()
            }
        }
    }

    private mutating func readSignals(
        _ table: TOMLTable, _ file: String
    ) throws(ConfigurationError) {
        for entry in table.entries {
            let key: SignalsKey = try known(entry, file, "key", of: "[signals]")
            switch key {
            case .followNetwork:
                configuration.followsNetwork = try setting(entry, file).bool()
            case .followSessions:
                let choices = SessionChoice.allCases.map { (name: $0.rawValue, meaning: $0) }
                configuration.sessions = try setting(entry, file).word(of: choices)
            }
        }
    }

    private mutating func readAdmin(
        _ table: TOMLTable, _ file: String
    ) throws(ConfigurationError) {
        for entry in table.entries {
            let key: AdminKey = try known(entry, file, "key", of: "[admin]")
            switch key {
            case .group:
                let group = setting(entry, file)
                configuration.adminGroupName = try group.string()
                adminGroup = group
            }
        }
    }

    private mutating func readJournal(
        _ table: TOMLTable, _ file: String
    ) throws(ConfigurationError) {
        for entry in table.entries {
            let key: JournalKey = try known(entry, file, "key", of: "[journal]")
            switch key {
            case .level:
                let levels = JournalLevel.allCases.map { (name: $0.name, meaning: $0) }
                configuration.journalLevel = try setting(entry, file).word(of: levels)
            }
        }
    }

    // MARK: Parts of reading

    func setting(_ entry: TOMLTable.Entry, _ file: String) -> Setting {
        Setting(file: file, key: entry.key, value: entry.value)
    }

    /// Users of a setting; those who do not exist become warnings.
    mutating func users(_ setting: Setting) throws(ConfigurationError) -> [UserID] {
        let list = try setting.users(names)
        for sentence in list.unknown { warn(sentence) }
        return list.users
    }

    func table(
        _ entry: TOMLTable.Entry, _ file: String
    ) throws(ConfigurationError) -> TOMLTable {
        guard let table = entry.value.table else {
            throw setting(entry, file).refused(
                "\(entry.key) is a section, not \(entry.value.kindName): write [\(entry.key)]")
        }
        return table
    }

    /// The meaning of a key, or an error at the key that names the nearest one.
    func known<Key: RawRepresentable & CaseIterable>(
        _ entry: TOMLTable.Entry, _ file: String, _ what: String, of section: String? = nil,
        written: String? = nil
    ) throws(ConfigurationError) -> Key where Key.RawValue == String {
        if let key = Key(rawValue: entry.key) { return key }
        let keys = Key.allCases.map(\.rawValue)
        let place = section.map { " in \($0)" } ?? ""
        throw ConfigurationError(
            file: file, line: entry.keyPosition.line, column: entry.keyPosition.column,
            reason: "unknown \(what) \(written ?? entry.key)\(place)"
                + Setting.suggestion(for: entry.key, in: keys))
    }
}
