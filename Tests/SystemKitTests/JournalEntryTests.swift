import Testing

@testable import SystemKit

struct JournalEntryTests {
    /// The fields as they will be sent.
    private func fields(_ entry: JournalEntry) -> [[UInt8]] {
        var start = 0
        return entry.fieldEnds.map { end in
            defer { start = end }
            return Array(entry.bytes[start..<end])
        }
    }

    @Test func fieldsKeepTheirOrderAndAnyBytes() {
        let entry = JournalEntry(
            priority: .notice, message: "a\nb", messageID: "0123456789abcdef0123456789abcdef",
            fields: [
                JournalField("KEY", "x=y\n"), JournalField("RAW_2", bytes: [0, 10, 255]),
                JournalField("COUNT", 42), JournalField("EMPTY", ""),
            ])
        #expect(
            fields(entry) == [
                Array("MESSAGE=a\nb".utf8), Array("PRIORITY=5".utf8),
                Array("MESSAGE_ID=0123456789abcdef0123456789abcdef".utf8),
                Array("KEY=x=y\n".utf8), Array("RAW_2=".utf8) + [0, 10, 255],
                Array("COUNT=42".utf8), Array("EMPTY=".utf8),
            ])
        #expect(entry.byteCount == entry.fieldEnds.last)
    }

    @Test(arguments: [
        ("A", true), ("RETRYD_KEY", true), ("A1", true), ("", false), ("_A", false), ("1A", false),
        ("a", false), ("A-B", false), ("A=B", false), (String(repeating: "A", count: 64), true),
        (String(repeating: "A", count: 65), false),
    ])
    func journaldsRuleForNames(_ name: String, _ isName: Bool) {
        #expect(JournalEntry.isFieldName(name) == isName)
    }

    @Test func lineForStandardErrorHasNoControls() {
        let entry = JournalEntry(priority: .error, message: "é \u{1B}[31m\nb\u{7F}")
        let line = String(decoding: entry.line(withPrefix: true), as: UTF8.self)
        #expect(line == "<3>é \\x1b[31m\\x0ab\\x7f\n")
        let bare = String(decoding: entry.line(withPrefix: false), as: UTF8.self)
        #expect(bare == "é \\x1b[31m\\x0ab\\x7f\n")
    }

    @Test func prioritiesReadAndCompare() {
        for priority in JournalPriority.allCases {
            #expect(JournalPriority(name: priority.name) == priority)
        }
        #expect(JournalPriority(name: "warn") == nil)
        #expect(JournalPriority.emergency < .debug)
        #expect(JournalPriority.warning.rawValue == 4)
    }
}
