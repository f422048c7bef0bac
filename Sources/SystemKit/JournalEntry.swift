/// How much an entry matters, syslog(3).
package enum JournalPriority: UInt8, Comparable, Sendable, CaseIterable {
    case emergency = 0
    case alert = 1
    case critical = 2
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    /// The name in configuration files and in `journalctl -p`.
    package var name: String {
        switch self {
        case .emergency: "emerg"
        case .alert: "alert"
        case .critical: "crit"
        case .error: "err"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }

    package init?(name: some StringProtocol) {
        guard let priority = JournalPriority.allCases.first(where: { $0.name == name }) else {
            return nil
        }
        self = priority
    }

    /// More important first, as their numbers go.
    package static func < (left: JournalPriority, right: JournalPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// A field of an entry besides its message.
package struct JournalField: Hashable, Sendable {
    /// Capitals, digits and underscores, a capital first; at most 64.
    package let name: String
    /// Any bytes, line breaks included.
    package let value: [UInt8]

    package init(_ name: String, _ value: String) {
        self.init(name, bytes: Array(value.utf8))
    }

    package init(_ name: String, bytes: [UInt8]) {
        self.name = name
        self.value = bytes
    }

    package init(_ name: String, _ value: some BinaryInteger) {
        self.init(name, String(value))
    }
}

/// One entry of the journal, laid out as it will be sent: its fields as "NAME=value" one behind
/// the other in one piece of memory.
package struct JournalEntry: Hashable, Sendable {
    package let priority: JournalPriority
    private(set) var bytes: [UInt8] = []
    /// Where each field ends in `bytes`.
    private(set) var fieldEnds: [Int] = []

    /// - Parameters:
    ///   - message: for people. Whatever came from somebody else is escaped by the caller.
    ///   - messageID: 32 hexadecimal digits that say which kind of event this is.
    package init(
        priority: JournalPriority, message: String, messageID: String? = nil,
        fields: [JournalField] = []
    ) {
        self.priority = priority
        // `message` has to stay first: standard error shows the first field.
        append(JournalField("MESSAGE", message))
        append(JournalField("PRIORITY", priority.rawValue))
        if let messageID { append(JournalField("MESSAGE_ID", messageID)) }
        for field in fields { append(field) }
    }

    private mutating func append(_ field: JournalField) {
        // journald silently drops fields with other names, systemd.journal-fields(7).
        precondition(
            JournalEntry.isFieldName(field.name), "\(field.name) is no name for a journal field")
        bytes.append(contentsOf: field.name.utf8)
        bytes.append(UInt8(ascii: "="))
        bytes.append(contentsOf: field.value)
        fieldEnds.append(bytes.count)
    }

    static func isFieldName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 64, isCapital(first) else {
            return false
        }
        return name.utf8.allSatisfy {
            isCapital($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || $0 == UInt8(ascii: "_")
        }
    }

    private static func isCapital(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    /// What the entry takes of the queue's room.
    var byteCount: Int { bytes.count }

    /// The entry as a line for standard error.
    ///
    /// - Parameter withPrefix: whether it starts with "<N>", which systemd reads as the priority
    ///   (sd-daemon(3)); people at a terminal do without.
    func line(withPrefix: Bool) -> [UInt8] {
        var line: [UInt8] = []
        if withPrefix { line += "<\(priority.rawValue)>".utf8 }
        let message = bytes[..<fieldEnds[0]].dropFirst("MESSAGE=".utf8.count)
        for byte in message {
            // A line break would start an entry of its own, and a terminal obeys other controls.
            if byte < 0x20 || byte == 0x7F {
                line += "\\x".utf8
                line.append(contentsOf: String(byte >> 4, radix: 16).utf8)
                line.append(contentsOf: String(byte & 0xF, radix: 16).utf8)
            } else {
                line.append(byte)
            }
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }
}
