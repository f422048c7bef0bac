/// Reads an interface definition byte by byte: words, signs, comments, and where they stand.
struct InterfaceScanner {
    private let text: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0
    /// The comment lines directly before the position, one per line, without their `#`.
    private var comment: [String] = []

    init(_ text: String) {
        self.text = Array(text.utf8)
    }

    var isAtEnd: Bool { position == text.count }

    func error(_ message: String) -> InterfaceError {
        InterfaceError(line: line, column: position - lineStart + 1, message: message)
    }

    // MARK: Space

    /// Skips space and comments.
    /// - Returns: The comment right before what follows; an empty line ends a comment.
    @discardableResult
    mutating func skipSpace() -> String {
        comment = []
        var isLineEmpty = false
        while position < text.count {
            switch text[position] {
            case 0x20, 0x09, 0x0D:
                position += 1
            case 0x0A:
                if isLineEmpty { comment = [] }
                isLineEmpty = true
                endLine()
            case UInt8(ascii: "#"):
                takeComment()
                isLineEmpty = true
            default:
                return comment.joined(separator: "\n")
            }
        }
        return comment.joined(separator: "\n")
    }

    /// A declaration must be followed by a line break, before it only space or a comment.
    mutating func requireLineEnd(after what: String) throws(InterfaceError) {
        while position < text.count {
            switch text[position] {
            case 0x20, 0x09, 0x0D: position += 1
            case 0x0A, UInt8(ascii: "#"): return
            default: throw error("a line break must follow \(what)")
            }
        }
    }

    private mutating func endLine() {
        position += 1
        line += 1
        lineStart = position
    }

    private mutating func takeComment() {
        position += 1
        if position < text.count, text[position] == 0x20 { position += 1 }
        let start = position
        while position < text.count, text[position] != 0x0A { position += 1 }
        var end = position
        if end > start, text[end - 1] == 0x0D { end -= 1 }
        comment.append(String(decoding: text[start..<end], as: UTF8.self))
        if position < text.count { endLine() }
    }

    // MARK: Signs and words

    func isNext(_ sign: Character) -> Bool {
        position < text.count && text[position] == sign.asciiValue
    }

    /// Takes the sign where it comes next.
    mutating func take(_ sign: StaticString) -> Bool {
        let count = sign.utf8CodeUnitCount
        guard position + count <= text.count else { return false }
        let bytes = UnsafeBufferPointer(start: sign.utf8Start, count: count)
        guard text[position..<(position + count)].elementsEqual(bytes) else { return false }
        position += count
        return true
    }

    mutating func require(_ sign: StaticString, _ purpose: String) throws(InterfaceError) {
        guard take(sign) else { throw error("\"\(sign)\" is needed \(purpose)") }
    }

    /// Letters, digits, `_`, `-` and `.`: whether they make a name of the wanted form is for the
    /// caller to say.
    mutating func word(_ purpose: String) throws(InterfaceError) -> String {
        let start = position
        while position < text.count, isWordByte(text[position]) { position += 1 }
        guard position > start else {
            throw error((isAtEnd ? "the text ends where " : "") + "\(purpose) is needed")
        }
        return String(decoding: text[start..<position], as: UTF8.self)
    }

    /// An error about the word just taken.
    func error(atWord word: String, _ message: String) -> InterfaceError {
        var error = error(message)
        error.column -= word.utf8.count
        return error
    }

    private func isWordByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }
}

func isLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26
}

func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isLetter(byte) || byte &- 0x30 < 10
}
