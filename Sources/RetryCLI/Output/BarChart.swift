/// Bars of text, as long as their numbers.
package enum BarChart {
    /// Eighths of a character, for the end of a bar (Unicode block elements).
    private static let ends = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// A bar for a number.
    ///
    /// - Parameters:
    ///   - largest: The number whose bar has the full width.
    ///   - width: Of that bar, in characters.
    /// - Returns: Nothing for nothing, else at least an eighth of a character.
    package static func bar(_ number: Int64, of largest: Int64, width: Int) -> String {
        guard number > 0, largest > 0 else { return "" }
        let share = Double(min(number, largest)) / Double(largest)
        let eighths = max(1, Int((share * Double(width) * 8).rounded()))
        return String(repeating: "█", count: eighths / 8) + ends[eighths % 8]
    }
}
