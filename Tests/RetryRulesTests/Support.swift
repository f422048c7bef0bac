import Glibc
import JSON
import RetryModel
import RetryRules

/// 2026-03-01T12:00:00Z, the receipt of every case.
let noon = WallTime(usec: 1_772_366_400_000_000)

/// A file or directory of the source tree, by its path from the top.
func treePath(_ path: String) -> String {
    let support = #filePath
    var top = Substring(support)
    for _ in 0..<3 { top = top.prefix(upTo: top.lastIndex(of: "/") ?? top.startIndex) }
    return "\(top)/\(path)"
}

func bytes(ofFile path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { fatalError("\(path) can't be opened") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = fread(&chunk, 1, chunk.count, file)
        guard count > 0 else { return bytes }
        bytes += chunk[..<count]
    }
}

/// The names in a directory that end in `.toml`, sorted.
func packNames(in directory: String) -> [String] {
    guard let handle = opendir(directory) else { fatalError("\(directory) can't be opened") }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name.hasSuffix(".toml") { names.append(name) }
    }
    return names.sorted()
}

/// The packs in config/rules.d.
let shippedSources: [RuleSource] = {
    let directory = treePath("config/rules.d")
    return packNames(in: directory).map { name in
        let path = "\(directory)/\(name)"
        return RuleSource(path: path, tier: 3, bytes: bytes(ofFile: path))
    }
}()

let shippedRules: RuleSet = {
    do {
        return try RuleSet.compile(files: shippedSources, keepsTests: true)
    } catch {
        fatalError("\(error)")
    }
}()

/// A rule set of one file.
func ruleSet(_ text: String, path: String = "/etc/retryd/rules.d/test.toml") throws(RuleError)
    -> RuleSet
{
    let source = RuleSource(path: path, tier: 0, bytes: Array(text.utf8))
    return try RuleSet.compile(files: [source], keepsTests: true)
}

/// Classifies documents given as text, by one rule set.
final class Judge {
    let rules: RuleSet
    let classifier: Classifier
    private let parser = JSONParser(
        lengthMax: 2 << 20, depthMax: Limits.failureDepthMax)

    init(_ rules: RuleSet = shippedRules) {
        self.rules = rules
        classifier = Classifier(rules)
    }

    func verdict(
        _ json: String, retriesUnknown: Bool = false, isIdempotent: Bool? = nil,
        recoversAutomatically: Bool = true
    ) throws(JSONError) -> Verdict {
        let options = ClassifierOptions(
            now: noon, retriesUnknown: retriesUnknown, isIdempotent: isIdempotent,
            recoversAutomatically: recoversAutomatically)
        return classifier.classify(try parser.parse(Array(json.utf8)), options)
    }

    func explanation(_ json: String) throws(JSONError) -> Explanation {
        classifier.explain(
            try parser.parse(Array(json.utf8)), ClassifierOptions(now: noon))
    }

    /// `http-throttled: retry`.
    func decision(
        _ json: String, retriesUnknown: Bool = false, isIdempotent: Bool? = nil
    ) throws(JSONError) -> String {
        let verdict = try verdict(
            json, retriesUnknown: retriesUnknown, isIdempotent: isIdempotent)
        let decision = RuleDecision(
            verdict.disposition, condition: verdict.condition, action: verdict.action)
        return "\(name(verdict)): \(decision.phrase)"
    }

    func name(_ verdict: Verdict) -> String {
        verdict.rule.map { rule in rules.rules[rule].name } ?? "none"
    }

    /// The hint in seconds.
    func wait(_ json: String) throws(JSONError) -> Double? {
        try verdict(json).hintSeconds(now: noon)
    }
}
