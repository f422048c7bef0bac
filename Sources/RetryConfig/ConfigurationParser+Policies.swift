import RetryModel
import TOML

extension ConfigurationParser {
    /// Ranges of the values, each with its reason where it is not plain.
    private enum Bounds {
        /// A delay of nothing would be a busy loop: whatever fails at once would fail for ever.
        static let delay = Span.milliseconds(1)...Span.days(365)
        static let floor = Span.zero...Span.days(1)
        static let patience = Span.seconds(1)...Span.infinity
        /// Growing more slowly than not at all would come back sooner with each failure.
        static let factorMilli: ClosedRange<Int64> = 1_000...100_000
        static let attempts = 1...Int(UInt16.max)
        static let recoveries = 0...100
        static let visibility = Limits.visibilityMin...Limits.visibilityMax
    }

    mutating func readPolicy(
        _ policy: TOMLTable.Entry, _ file: String
    ) throws(ConfigurationError) {
        try checkName(policy, "policy", file)
        // Made known also when the section is empty: it is a copy of `default` then.
        var settings = policySettings[policy.key] ?? []
        for entry in try section(policy, "policy", file).entries {
            let _: PolicyKey = try known(entry, file, "key", of: "[policy.\(policy.key)]")
            settings.append(setting(entry, file))
        }
        policySettings[policy.key] = settings
    }

    /// Builds the table of policies: what a policy does not say, it has from `default`, or from
    /// the shipped one of its name.
    mutating func applyPolicies() throws(ConfigurationError) {
        let standard = try policy(from: Policy.standard)
        configuration.policies = [standard]
        let names = Set(policySettings.keys).union([Policy.slowName])
        for name in names.sorted() where name != Policy.defaultName {
            var start = name == Policy.slowName ? Policy.slow(from: standard) : standard
            start.name = name
            configuration.policies.append(try policy(from: start))
        }
    }

    private func policy(from start: Policy) throws(ConfigurationError) -> Policy {
        var policy = start
        var last: [PolicyKey: Setting] = [:]
        for setting in policySettings[start.name] ?? [] {
            guard let key = PolicyKey(rawValue: setting.key) else {
                preconditionFailure("a policy key that was not checked: \(setting.key)")
            }
            try apply(setting, key, to: &policy)
            last[key] = setting
        }
        let longest = policy.max
        for (key, span) in [(PolicyKey.initial, policy.initial), (.floor, policy.floor)]
        where span > longest && policy.steps.isEmpty {
            // One of the two was set here, for `default` and its copies agree in themselves.
            let section = "[policy.\(policy.name)]"
            let reason =
                "\(section): \(key.rawValue) (\(SpanText.write(span))) is longer than max "
                + "(\(SpanText.write(longest)))"
            throw (last[.max] ?? last[key])?.refused(reason)
                ?? ConfigurationError(file: section, reason: reason)
        }
        return policy
    }

    private func apply(
        _ setting: Setting, _ key: PolicyKey, to policy: inout Policy
    ) throws(ConfigurationError) {
        switch key {
        case .initial: policy.initial = try setting.span(in: Bounds.delay)
        case .factor: policy.factorMilli = try setting.thousandths(in: Bounds.factorMilli)
        case .max: policy.max = try setting.span(in: Bounds.delay)
        case .jitter:
            policy.jitter = try setting.word(
                of: Jitter.allCases.map { ($0.name.description, $0) })
        case .floor: policy.floor = try setting.span(in: Bounds.floor)
        case .steps: policy.steps = try setting.spans(in: Bounds.delay)
        case .maxAttempts:
            policy.attemptsMax = UInt16(try setting.integer(in: Bounds.attempts))
        case .maxAge: policy.ageMax = try setting.span(in: Bounds.patience)
        case .hintMax: policy.hintMax = try setting.span(in: Bounds.patience)
        case .hintOverMax:
            policy.hintOverMax = try setting.word(of: [("clamp", .clamp), ("dead", .dead)])
        case .resetAfter: policy.resetAfter = try setting.span(in: Bounds.patience)
        case .maxHold: policy.holdMax = try setting.span(in: Bounds.patience)
        case .maxPark: policy.parkMax = try setting.span(in: Bounds.patience)
        case .maxRecoveries:
            policy.recoveriesMax = UInt8(try setting.integer(in: Bounds.recoveries))
        case .visibility: policy.visibility = try setting.span(in: Bounds.visibility)
        }
    }
}
