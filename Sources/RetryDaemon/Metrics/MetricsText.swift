/// Metrics in the text format of Prometheus (exposition format 0.0.4): for each its meaning and
/// type, then its values.
struct MetricsText {
    private(set) var text = ""

    enum Kind: String {
        case counter, gauge
    }

    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        begin(name, kind.rawValue, help)
    }

    private mutating func begin(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    mutating func value(
        _ name: String, _ value: some BinaryInteger, _ label: (String, String)? = nil
    ) {
        let labels = label.map { "{\($0.0)=\"\(MetricsText.escape($0.1))\"}" } ?? ""
        text += "\(name)\(labels) \(value)\n"
    }

    /// A metric of one value.
    mutating func single(
        _ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger
    ) {
        begin(name, kind, help)
        self.value(name, value)
    }

    /// A moment in seconds since 1970.
    mutating func moment(_ name: String, _ help: String, usec: Int64) {
        begin(name, .gauge, help)
        text += "\(name) \(MetricsText.seconds(UInt64(max(0, usec))))\n"
    }

    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        begin(name, "histogram", help)
        var count: UInt64 = 0
        for (bound, own) in zip(histogram.boundsUsec, histogram.counts) {
            count += own
            let end = MetricsText.seconds(UInt64(bound))
            text += "\(name)_bucket{le=\"\(end)\"} \(count)\n"
        }
        count += histogram.counts[histogram.counts.count - 1]
        text += "\(name)_bucket{le=\"+Inf\"} \(count)\n"
        text += "\(name)_sum \(MetricsText.seconds(histogram.sumUsec))\n\(name)_count \(count)\n"
    }

    /// 1500 as 0.0015, without trailing zeros.
    static func seconds(_ usec: UInt64) -> String {
        let fraction = String(usec % 1_000_000)
        var digits = String(repeating: "0", count: 6 - fraction.utf8.count) + fraction
        while digits.last == "0" { digits.removeLast() }
        return digits.isEmpty ? "\(usec / 1_000_000)" : "\(usec / 1_000_000).\(digits)"
    }

    static func escape(_ value: String) -> String {
        var escaped = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
