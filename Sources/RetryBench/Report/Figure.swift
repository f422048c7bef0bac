/// Numbers as people read them.
enum Figure {
    /// `107,234`.
    static func count(_ value: Double) -> String {
        let digits = Array(String(Int64(value.rounded())))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0, digits[index - 1] != "-" { text += "," }
            text.append(digit)
        }
        return text
    }

    /// `110 µs`, `1.20 ms`, `2.80 s`.
    static func duration(usec: Double) -> String {
        if usec == 0 { return "0" }
        if usec < 1 { return "\(fixed(usec * 1_000, 0)) ns" }
        if usec < 10 { return "\(fixed(usec, 2)) µs" }
        if usec < 1_000 { return "\(fixed(usec, 0)) µs" }
        if usec < 1_000_000 { return "\(fixed(usec / 1_000, 2)) ms" }
        return "\(fixed(usec / 1_000_000, 2)) s"
    }

    static func mebibytes(_ bytes: Int64) -> String {
        "\(fixed(Double(bytes) / Double(1 << 20), 1)) MB"
    }

    /// With so many digits behind the point.
    static func fixed(_ value: Double, _ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int64((value * scale).rounded())
        guard digits > 0 else { return String(scaled) }
        let fraction = String(scaled.magnitude % UInt64(scale))
        let zeros = String(repeating: "0", count: digits - fraction.count)
        let sign = scaled < 0 ? "-" : ""
        return "\(sign)\(scaled.magnitude / UInt64(scale)).\(zeros)\(fraction)"
    }

    static func median(_ values: [Double]) -> Double {
        precondition(!values.isEmpty, "a median of nothing")
        return values.sorted()[values.count / 2]
    }
}
