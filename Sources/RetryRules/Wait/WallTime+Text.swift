package import RetryModel

extension WallTime {
    /// Reads a moment as failure documents write it: ISO 8601, one of the three HTTP dates, or a
    /// Unix time in seconds, milli- or microseconds.
    package init?(written text: String) {
        if let number = Int64(text) {
            guard let time = WaitText.wallTime(unix: number) else { return nil }
            self = time
            return
        }
        var text = text
        let date = text.withUTF8 { DateReader.date($0, near: WallTime(usec: 0)) }
        guard let date else { return nil }
        self = date
    }
}
