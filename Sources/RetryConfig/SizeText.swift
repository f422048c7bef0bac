/// Sizes in bytes as systemd writes them (systemd.resource-control(5)): a number with `K`, `M` or
/// `G` to the base 1024, or without for bytes.
package enum SizeText {
    /// Reads a size; nil when it is not one or does not fit.
    package static func parse(_ text: String) -> Int? {
        guard let last = text.utf8.last else { return nil }
        let unit: Int
        switch last {
        case UInt8(ascii: "K"): unit = 1 << 10
        case UInt8(ascii: "M"): unit = 1 << 20
        case UInt8(ascii: "G"): unit = 1 << 30
        default: unit = 1
        }
        guard let number = Int(unit == 1 ? text[...] : text.dropLast()), number >= 0 else {
            return nil
        }
        let (size, overflow) = number.multipliedReportingOverflow(by: unit)
        return overflow ? nil : size
    }

    /// Writes a size with the largest unit that leaves no rest: `256K`.
    package static func write(_ size: Int) -> String {
        for (name, unit) in [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)]
        where size >= unit && size % unit == 0 {
            return "\(size / unit)\(name)"
        }
        return "\(size)"
    }
}
