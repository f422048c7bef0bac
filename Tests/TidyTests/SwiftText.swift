/// Just enough of Swift's grammar to tell code from comments and strings.
struct SwiftText {
    private let bytes: [UInt8]
    private var output: [UInt8]
    private var index = 0

    /// The text with comments and string contents turned into spaces; line breaks stay.
    static func codeAlone(_ text: String) -> String {
        var scanner = SwiftText(Array(text.utf8))
        scanner.scanCode(untilParenthesis: false)
        return String(decoding: scanner.output, as: UTF8.self)
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        output = []
        output.reserveCapacity(bytes.count)
    }

    private static let quote = UInt8(ascii: "\"")
    private static let hash = UInt8(ascii: "#")
    private static let slash = UInt8(ascii: "/")
    private static let star = UInt8(ascii: "*")
    private static let backslash = UInt8(ascii: "\\")
    private static let open = UInt8(ascii: "(")
    private static let close = UInt8(ascii: ")")
    private static let newline = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")

    private func peek(_ distance: Int = 0) -> UInt8 {
        index + distance < bytes.count ? bytes[index + distance] : 0
    }

    private mutating func keep() {
        output.append(bytes[index])
        index += 1
    }

    private mutating func blank() {
        let byte = bytes[index]
        // One space for a character, not for each of its bytes: columns count characters.
        if byte == SwiftText.newline {
            output.append(byte)
        } else if byte & 0xC0 != 0x80 {
            output.append(SwiftText.space)
        }
        index += 1
    }

    private mutating func blank(_ count: Int) {
        for _ in 0..<min(count, bytes.count - index) { blank() }
    }

    /// Copies code up to the end, or to the parenthesis that closes an interpolation.
    private mutating func scanCode(untilParenthesis: Bool) {
        var depth = 0
        while index < bytes.count {
            let byte = peek()
            if byte == SwiftText.slash, peek(1) == SwiftText.slash {
                while index < bytes.count, peek() != SwiftText.newline { blank() }
            } else if byte == SwiftText.slash, peek(1) == SwiftText.star {
                skipBlockComment()
            } else if let hashes = stringStart() {
                scanString(hashes: hashes)
            } else {
                if byte == SwiftText.open { depth += 1 }
                if byte == SwiftText.close {
                    if untilParenthesis && depth == 0 { return }
                    depth -= 1
                }
                keep()
            }
        }
    }

    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if peek() == SwiftText.slash, peek(1) == SwiftText.star {
                depth += 1
                blank(2)
            } else if peek() == SwiftText.star, peek(1) == SwiftText.slash {
                depth -= 1
                blank(2)
            } else {
                blank()
            }
        } while depth > 0 && index < bytes.count
    }

    /// How many `#` stand before the quote of a literal that begins here; nil: none begins.
    private func stringStart() -> Int? {
        var hashes = 0
        while peek(hashes) == SwiftText.hash { hashes += 1 }
        return peek(hashes) == SwiftText.quote ? hashes : nil
    }

    private mutating func scanString(hashes: Int) {
        let isLong =
            peek(hashes + 1) == SwiftText.quote && peek(hashes + 2) == SwiftText.quote
        let quotes = isLong ? 3 : 1
        for _ in 0..<(hashes + quotes) { keep() }
        while index < bytes.count {
            if isEnd(quotes: quotes, hashes: hashes) {
                for _ in 0..<(hashes + quotes) { keep() }
                return
            }
            if peek() == SwiftText.backslash, isFollowedByHashes(hashes) {
                if peek(hashes + 1) == SwiftText.open {
                    blank(hashes + 2)
                    scanCode(untilParenthesis: true)
                    blank(1)
                } else {
                    blank(hashes + 2)
                }
            } else {
                blank()
            }
        }
    }

    private func isEnd(quotes: Int, hashes: Int) -> Bool {
        for distance in 0..<quotes where peek(distance) != SwiftText.quote { return false }
        for distance in 0..<hashes where peek(quotes + distance) != SwiftText.hash { return false }
        return true
    }

    private func isFollowedByHashes(_ hashes: Int) -> Bool {
        for distance in 0..<hashes where peek(1 + distance) != SwiftText.hash { return false }
        return true
    }
}

/// The words and signs of a line of code.
enum Words {
    /// The identifiers of a line with the column each begins at.
    static func of(_ line: String) -> [(text: Substring, start: String.Index)] {
        var words: [(Substring, String.Index)] = []
        var index = line.startIndex
        while index < line.endIndex {
            guard isPart(line[index]) else {
                index = line.index(after: index)
                continue
            }
            let start = index
            while index < line.endIndex, isPart(line[index]) { index = line.index(after: index) }
            words.append((line[start..<index], start))
        }
        return words
    }

    static func isPart(_ character: Character) -> Bool {
        character == "_" || (character.isASCII && (character.isLetter || character.isNumber))
    }
}
