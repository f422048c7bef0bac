import JSON
import RetryModel

/// Notes what the classifier looks at. The classifier asks the same questions with and without.
final class Trace {
    private let program: Program
    private let facts: FactTable

    var considered: [Explanation.Consideration] = []
    var causes: [Explanation.Cause] = []
    var hints: [Explanation.Hint] = []
    var gate: Classifier.GateFinding?
    /// The error of the chain that rules are asked about.
    var cause: String?

    init(_ classifier: Classifier) {
        program = classifier.program
        facts = classifier.facts
    }

    // MARK: Causes

    func skippedEcho(_ error: JSONValue) {
        causes.append(Explanation.Cause(name: Self.name(of: error), outcome: .echo))
    }

    func lookedAt(_ error: JSONValue) {
        let name = Self.name(of: error)
        cause = name
        causes.append(Explanation.Cause(name: name, outcome: .unknown))
    }

    func lookedAtAll() {
        cause = nil
    }

    func decided() {
        if cause != nil, !causes.isEmpty { causes[causes.count - 1].outcome = .decided }
    }

    private static func name(of error: JSONValue) -> String {
        let domain = error["domain"]?.string ?? error["class"]?.string ?? "an error"
        let code = error["code"].flatMap { value in Fact(scalar: value) }
        return code.map { code in "\(domain) \(describe(code))" } ?? domain
    }

    // MARK: Hints

    func usedConstant(_ step: HintStep) {
        hints.append(
            Explanation.Hint(
                name: program.hintNames[Int(step.nameIndex)], path: "",
                value: "\(step.waitSeconds) s",
                wait: .after(.seconds(step.waitSeconds))))
    }

    func ignoredHint(_ step: HintStep, _ slot: Int) {
        append(step, slot, nil)
    }

    func foundHint(_ step: HintStep, _ slot: Int, _ wait: Wait) {
        append(step, slot, wait.hint)
    }

    private func append(_ step: HintStep, _ slot: Int, _ wait: WaitHint?) {
        hints.append(
            Explanation.Hint(
                name: program.hintNames[Int(step.nameIndex)], path: program.slotNames[slot],
                value: value(inSlot: slot), wait: wait))
    }

    // MARK: Values

    /// Longer values are cut: a page of HTML explains nothing.
    private static var valueBytesMax: Int { 160 }
    private static var elementsShownMax: Int { 16 }

    func value(inSlot slot: Int) -> String {
        let fact = facts.values[slot]
        switch fact.kind {
        case .array:
            var parts: [String] = []
            guard let elements = facts.containers[slot].elements else { return "[]" }
            for element in elements.prefix(Self.elementsShownMax) {
                if let fact = Fact(scalar: element) { parts.append(Self.describe(fact)) }
            }
            return "[\(parts.joined(separator: ", "))]"
        case .object:
            return "{…}"
        case .text, .integer, .double, .bool:
            return Self.describe(fact)
        }
    }

    static func describe(_ fact: Fact) -> String {
        switch fact.kind {
        case .text:
            let isLong = fact.count > valueBytesMax
            let shown = UnsafeBufferPointer(rebasing: fact.text.prefix(valueBytesMax))
            return "'\(String(decoding: shown, as: UTF8.self))\(isLong ? "…" : "")'"
        case .integer: return String(fact.bits)
        case .double: return String(fact.double)
        case .bool: return fact.bits == 1 ? "true" : "false"
        case .array: return "a list"
        case .object: return "an object"
        }
    }
}
