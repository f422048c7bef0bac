import RetryModel
import TOML

/// `[destination.NAME]` and `[ramp]`.
extension ConfigurationParser {
    /// Ranges of the values.
    private enum Bounds {
        static let tokens = 1...1_000_000
        /// None would never come back after an outage that spent the budget.
        static let perSecond = 1...1_000_000
        static let bonus = 0...1_000_000
        static let concurrency = 0...1_000_000
        static let failures = 0...Int(UInt16.max)
        static let open = Span.milliseconds(100)...Span.days(1)
        static let first = 1...1_000_000
        static let growthMilli: ClosedRange<Int64> = 1_000...10_000
    }

    /// The section whose values hold where a destination says nothing else.
    private static let standardName = "default"

    mutating func readDestination(
        _ destination: TOMLTable.Entry, _ file: String
    ) throws(ConfigurationError) {
        try checkName(destination, "destination", file)
        var settings = destinationSettings[destination.key] ?? []
        for entry in try section(destination, "destination", file).entries {
            let _: DestinationSettingKey = try known(
                entry, file, "key", of: "[destination.\(destination.key)]")
            settings.append(setting(entry, file))
        }
        destinationSettings[destination.key] = settings
    }

    /// What a destination does not say, it has from `default`.
    mutating func applyDestinations() throws(ConfigurationError) {
        var settings = DestinationSettings()
        settings.standard = try policy(Self.standardName, from: .standard, &settings.shared)
        for name in destinationSettings.keys.sorted() where name != Self.standardName {
            settings.named[name] = try policy(name, from: settings.standard, &settings.shared)
        }
        configuration.destinations = settings
    }

    private func policy(
        _ name: String, from start: DestinationPolicy, _ shared: inout Set<String>
    ) throws(ConfigurationError) -> DestinationPolicy {
        var policy = start
        var last: Setting?
        for setting in destinationSettings[name] ?? [] {
            guard let key = DestinationSettingKey(rawValue: setting.key) else {
                preconditionFailure("a destination key that was not checked: \(setting.key)")
            }
            if key == .shared {
                guard name != Self.standardName else {
                    throw setting.refused("each shared destination is named: [destination.NAME]")
                }
                if try setting.bool() { shared.insert(name) } else { shared.remove(name) }
            } else {
                try apply(setting, key, to: &policy)
                last = setting
            }
        }
        let dearest = max(policy.attemptCost, policy.lostCost)
        if policy.budgetMax < dearest, let last {
            throw last.refused(
                "[destination.\(name)]: a budget of \(policy.budgetMax) never holds an attempt "
                    + "that costs \(dearest)")
        }
        if policy.openFirst > policy.openMax, let last {
            throw last.refused(
                "[destination.\(name)]: breaker-open is \(SpanText.write(policy.openFirst)), "
                    + "longer than breaker-open-max, \(SpanText.write(policy.openMax))")
        }
        return policy
    }

    private func apply(
        _ setting: Setting, _ key: DestinationSettingKey, to policy: inout DestinationPolicy
    ) throws(ConfigurationError) {
        switch key {
        case .concurrency: policy.concurrencyMax = try setting.integer(in: Bounds.concurrency)
        case .budget: policy.budgetMax = Int64(try setting.integer(in: Bounds.tokens))
        case .budgetPerSecond:
            policy.budgetPerSecond = Int64(try setting.integer(in: Bounds.perSecond))
        case .attemptCost: policy.attemptCost = Int64(try setting.integer(in: Bounds.tokens))
        case .lostCost: policy.lostCost = Int64(try setting.integer(in: Bounds.tokens))
        case .successBonus: policy.successBonus = Int64(try setting.integer(in: Bounds.bonus))
        case .breakerFailures:
            policy.failuresMax = UInt16(try setting.integer(in: Bounds.failures))
        case .breakerOpen: policy.openFirst = try setting.span(in: Bounds.open)
        case .breakerOpenMax: policy.openMax = try setting.span(in: Bounds.open)
        case .shared: preconditionFailure("`shared` is no member of the policy")
        }
    }

    mutating func readRamp(_ table: TOMLTable, _ file: String) throws(ConfigurationError) {
        for entry in table.entries {
            let key: RampKey = try known(entry, file, "key", of: "[ramp]")
            let setting = setting(entry, file)
            switch key {
            case .first: configuration.ramp.first = try setting.integer(in: Bounds.first)
            case .growth:
                configuration.ramp.growthMilli = try setting.thousandths(in: Bounds.growthMilli)
            }
        }
    }
}
