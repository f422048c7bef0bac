/// Which boot of the host this is: 128 random bits that the kernel draws at each start.
package struct BootID: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads 32 hexadecimal digits, with or without the dashes of a UUID.
    package init?(_ text: some StringProtocol) {
        var words: [UInt64] = [0, 0]
        var count = 0
        for byte in text.utf8 where byte != UInt8(ascii: "-") {
            guard count < 32, let digit = hexDigit(byte) else { return nil }
            words[count / 16] = words[count / 16] << 4 | digit
            count += 1
        }
        guard count == 32 else { return nil }
        self.init(high: words[0], low: words[1])
    }
}

extension BootID: CustomStringConvertible {
    /// 32 lower-case hexadecimal digits, as journald and `%b` write it.
    package var description: String { padded(high) + padded(low) }

    private func padded(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

/// The boot this process runs in.
package enum Boot {
    /// The kernel's file. It is hidden by `ProcSubset=pid`, so units pass `%b` as an argument.
    static let path = "/proc/sys/kernel/random/boot_id"

    /// The present boot.
    ///
    /// - Parameter given: what the unit passed; nil reads the kernel's file.
    package static func id(given: String? = nil) throws(BootError) -> BootID {
        if let given {
            guard let id = BootID(given) else { throw .malformed(given) }
            return id
        }
        let bytes: [UInt8]
        do {
            bytes = try Files.readAll(path, bytesMax: 64)
        } catch {
            throw .unreadable(error)
        }
        let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard let id = BootID(text) else { throw .malformed(text) }
        return id
    }
}

/// Why the boot is not known.
package enum BootError: Error, CustomStringConvertible {
    case malformed(String)
    case unreadable(SystemError)

    package var description: String {
        switch self {
        case .malformed(let text):
            "boot id \"\(text)\": not 32 hexadecimal digits; units pass it as %b"
        case .unreadable(let error):
            "\(error); pass the boot id as an argument (%b in a unit)"
        }
    }
}

private func hexDigit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
}
