package import JSON
package import RetryClient
import SystemKit

/// Where a command writes: data on standard output, all that is said to people on standard error.
package final class Console {
    /// How answers are printed.
    package enum JSONMode: String, Sendable, CaseIterable {
        case off
        /// One object a line.
        case short
        case pretty
    }

    private static let bufferBytesMax = 64 * 1024
    private static let reset = "\u{1B}[0m"

    private let isCaptured: Bool
    private var buffer: [UInt8] = []
    /// What was written and said, of a console that captures.
    package private(set) var captured: [UInt8] = []
    package private(set) var capturedMessages: [UInt8] = []

    package var jsonMode = JSONMode.off
    /// Nothing is said but errors.
    package var isQuiet = false
    /// No headings and no sums.
    package var hasLegend = true
    package let usesColour: Bool
    /// The width to keep lines to; nil: as wide as they are.
    package let columns: Int?

    /// A console on the standard streams. Colours are for a terminal, unless NO_COLOR is set and
    /// not empty (no-color.org) or TERM says that it can't.
    package init() {
        isCaptured = false
        let isTerminal = Terminal.isTerminal(StandardStream.output.fileDescriptor)
        usesColour =
            isTerminal && (Environment.value("NO_COLOR") ?? "").isEmpty
            && Environment.value("TERM") != "dumb"
        columns = isTerminal ? Terminal.columns(StandardStream.output.fileDescriptor) : nil
    }

    /// A console that keeps what is written.
    package init(capturingWithColumns columns: Int?, usesColour: Bool = false) {
        isCaptured = true
        self.columns = columns
        self.usesColour = usesColour
    }

    // MARK: Data

    /// Writes a line. The text is the caller's own or escaped.
    package func writeLine(_ text: String) throws(CommandFailure) {
        buffer += text.utf8
        buffer.append(UInt8(ascii: "\n"))
        try flushIfLong()
    }

    /// Writes a JSON text in the mode that was asked for.
    package func writeJSON(_ json: [UInt8]) throws(CommandFailure) {
        let safe = TerminalText.escapeJSON(json)
        buffer += jsonMode == .pretty ? PrettyJSON.indent(safe) : safe
        buffer.append(UInt8(ascii: "\n"))
        try flushIfLong()
    }

    package func writeJSON(_ value: JSONValue) throws(CommandFailure) {
        try writeJSON(RawJSON(value).bytes)
    }

    /// Writes bytes as they are.
    package func writeBytes(_ bytes: [UInt8]) throws(CommandFailure) {
        buffer += bytes
        try flushIfLong()
    }

    /// Writes a JSON text for people, each line indented.
    package func writeIndented(_ json: RawJSON) throws(CommandFailure) {
        let pretty = PrettyJSON.indent(TerminalText.escapeJSON(json.bytes))
        for line in pretty.split(separator: UInt8(ascii: "\n")) {
            buffer += "  ".utf8
            buffer += line
            buffer.append(UInt8(ascii: "\n"))
        }
        try flushIfLong()
    }

    private func flushIfLong() throws(CommandFailure) {
        if buffer.count >= Console.bufferBytesMax { try flush() }
    }

    /// Writes out what is held back. Data that comes slowly is written out line by line.
    package func flush() throws(CommandFailure) {
        if buffer.isEmpty { return }
        defer { buffer.removeAll(keepingCapacity: true) }
        if isCaptured {
            captured += buffer
            return
        }
        let result = buffer.withUnsafeBytes { bytes in
            Result { () throws(SystemError) in try StandardStream.output.write(bytes) }
        }
        if case .failure(let error) = result {
            throw CommandFailure("\(error)", .inputOutput)
        }
    }

    // MARK: Messages

    /// Says what was done. The text is the caller's own or escaped.
    package func say(_ text: String) {
        if !isQuiet { put(text) }
    }

    /// Says what went wrong; escapes it, for much of it comes from the daemon.
    package func complain(_ text: String) {
        put("retryctl: \(TerminalText.escape(text))")
    }

    /// Asks a person: the answer is typed behind it.
    package func ask(_ question: String) {
        put(question, ending: "")
    }

    private func put(_ text: String, ending: String = "\n") {
        let line = text + ending
        if isCaptured {
            capturedMessages += line.utf8
        } else {
            // Nobody is left to be told that standard error can't be written.
            _ = try? StandardStream.error.write(line)
        }
    }

    // MARK: Colour

    /// What a terminal is told, by ECMA-48 SGR.
    package enum Colour: String, Sendable {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case blue = "34"
        case faint = "2"
        case bold = "1"
    }

    package func coloured(_ text: String, _ colour: Colour?) -> String {
        guard usesColour, let colour else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\(Console.reset)"
    }
}
