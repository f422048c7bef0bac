import JSON
import RetryModel
import SystemKit

/// Failure documents on standard input: one, on as many lines as it likes, or one a line.
///
/// With one a line each is given on as soon as its line is there.
struct DocumentReader {
    /// A document, or why it is none.
    struct Document {
        /// The first line it stands on, from 1.
        var line: Int
        var content: Result<[UInt8], JSONError>
    }

    private enum Mode {
        case unknown
        /// The first line is a document in itself.
        case lines
        case ended
    }

    private let descriptor: Int32
    private let parser = FailureParser()
    private var buffer: [UInt8] = []
    private var position = 0
    private var line = 1
    private var mode = Mode.unknown
    private var isAtEnd = false

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The next document; nil: there are no more.
    mutating func next() throws(CommandFailure) -> Document? {
        if mode == .unknown { return try first() }
        while mode == .lines {
            guard let (text, number) = try nextLine() else {
                mode = .ended
                return nil
            }
            if let document = document(text, line: number) { return document }
        }
        return nil
    }

    /// Finds out whether a document is a line or all there is.
    private mutating func first() throws(CommandFailure) -> Document? {
        while let (text, number) = try nextLine() {
            guard let document = document(text, line: number) else { continue }
            mode = .lines
            guard case .failure = document.content else { return document }
            return try wholeText(from: text, line: number) ?? document
        }
        mode = .ended
        return nil
    }

    /// One document on several lines; nil: they are lines of their own, of which the first is not
    /// what it should be.
    private mutating func wholeText(
        from firstLine: [UInt8], line number: Int
    ) throws(CommandFailure) -> Document? {
        // Whoever begins a document on one line and goes on on the next one means one document.
        let beginsOne = firstLine.last.map { "{[,:".utf8.contains($0) } ?? false
        guard beginsOne || isAtEnd else { return nil }
        while !isAtEnd, buffer.count - position <= FailureParser.bytesMax { try readOn() }
        let text = firstLine + "\n".utf8 + buffer[position...]
        let content = parser.check(text)
        if case .failure = content, !beginsOne { return nil }
        position = buffer.count
        mode = .ended
        return Document(line: number, content: content)
    }

    /// Nil for a line without content.
    private func document(_ text: [UInt8], line: Int) -> Document? {
        if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
        return Document(line: line, content: parser.check(text))
    }

    private mutating func nextLine() throws(CommandFailure) -> (text: [UInt8], number: Int)? {
        var searched = position
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let text = Array(buffer[position..<end])
                position = end + 1
                line += 1
                return (text, line - 1)
            }
            searched = buffer.count
            if isAtEnd {
                if position == buffer.count { return nil }
                let text = Array(buffer[position...])
                position = buffer.count
                line += 1
                return (text, line - 1)
            }
            searched -= position
            try readOn()
        }
    }

    /// Reads what is there, and forgets what was taken.
    private mutating func readOn() throws(CommandFailure) {
        buffer.removeFirst(position)
        position = 0
        var room = [UInt8](repeating: 0, count: 64 * 1_024)
        let result = room.withUnsafeMutableBytes { bytes in
            Result { () throws(SystemError) in try Syscalls.read(descriptor, into: bytes) }
        }
        switch result {
        case .success(.count(let count)):
            // Of a line that is longer than any document only so much is kept as shows that.
            let isTooLong = buffer.count > FailureParser.bytesMax && !buffer.contains(0x0A)
            let new = room[..<count]
            buffer += isTooLong ? new.drop { $0 != 0x0A } : new
        case .success(.end): isAtEnd = true
        case .success(.wouldBlock): try wait()
        case .failure(let error):
            throw CommandFailure("standard input: \(error)", .inputOutput)
        }
    }

    /// Another process may have made the descriptor one that does not block.
    private func wait() throws(CommandFailure) {
        do throws(SystemError) {
            _ = try Syscalls.wait(for: descriptor, .readable, timeoutMs: nil)
        } catch {
            throw CommandFailure("standard input: \(error)", .inputOutput)
        }
    }
}

/// Reads failure documents with the bounds the daemon has for them.
final class FailureParser {
    /// What fits into a call, with room for the rest of it.
    static let bytesMax = Limits.messageBytesMax - 64 * 1_024

    private let parser = JSONParser(lengthMax: bytesMax, depthMax: Limits.failureDepthMax)

    /// The document; valid until the next one.
    func parse(_ text: [UInt8]) throws(JSONError) -> JSONValue {
        try parser.parse(text)
    }

    func check(_ text: [UInt8]) -> Result<[UInt8], JSONError> {
        Result { () throws(JSONError) in
            _ = try parse(text)
            return text
        }
    }
}
