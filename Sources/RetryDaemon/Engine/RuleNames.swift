import RetryModel
import RetryRules

/// Rule names by their number in the store. A name keeps its number, so a stored decision always
/// tells which rule it was, also when the rule is long gone.
struct RuleNames {
    private var names: [String] = [""]
    private var numbers: [String: RuleIndex] = [:]
    /// Number of each rule of the rule set in force; 0: not numbered yet.
    private var ofRule: [RuleIndex] = []

    func name(_ index: RuleIndex) -> String? {
        index == 0 || Int(index) >= names.count ? nil : names[Int(index)]
    }

    mutating func restore(_ index: RuleIndex, name: String) {
        while names.count <= Int(index) { names.append("") }
        names[Int(index)] = name
        numbers[name] = index
    }

    /// Other rules are in force: their names are looked up as they are used.
    mutating func rulesChanged(count: Int) {
        ofRule = [RuleIndex](repeating: 0, count: count)
    }

    /// The number of a rule of the set in force, and whether it is new and must be stored.
    ///
    /// - Returns: 0 when all 65,535 numbers are used: the decision then tells no rule.
    mutating func index(ofRule rule: Int, name: @autoclosure () -> String)
        -> (index: RuleIndex, isNew: Bool)
    {
        let known = ofRule[rule]
        if known != 0 { return (known, false) }
        let name = name()
        if let index = numbers[name] {
            ofRule[rule] = index
            return (index, false)
        }
        guard names.count <= Int(RuleIndex.max) else { return (0, false) }
        let index = RuleIndex(names.count)
        names.append(name)
        numbers[name] = index
        ofRule[rule] = index
        return (index, true)
    }
}
