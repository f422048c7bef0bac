/// A function, initializer or accessor with its length.
struct FunctionSpan {
    var name: String
    /// Of its first line, counted from 0.
    var start: Int
    /// Lines from the first to the closing brace.
    var length: Int
}

enum Declarations {
    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private", "static", "class", "final",
        "override", "mutating", "nonmutating", "consuming", "borrowing", "required", "convenience",
        "indirect", "nonisolated", "isolated", "lazy", "weak", "unowned",
    ]
    private static let typeWords: Set<Substring> = ["struct", "enum", "class", "protocol", "actor"]

    /// The functions of a file that have a body.
    static func functions(in file: SourceFile) -> [FunctionSpan] {
        var functions: [FunctionSpan] = []
        for (index, line) in file.code.enumerated() {
            guard let name = functionName(line) else { continue }
            guard let end = endOfBody(file.code, from: index) else { continue }
            functions.append(FunctionSpan(name: name, start: index, length: end - index + 1))
        }
        return functions
    }

    /// Types declared on a line for others to use; nil where the line declares none.
    static func visibleType(_ line: String) -> Substring? {
        var isVisible = false
        let words = Words.of(line).map(\.text)
        for (position, word) in words.enumerated() {
            if word == "public" || word == "package" { isVisible = true }
            // `class func` is no class.
            if typeWords.contains(word), position + 1 < words.count,
                !["func", "var", "let"].contains(words[position + 1])
            {
                return isVisible ? words[position + 1] : nil
            }
            guard modifiers.contains(word) else { return nil }
        }
        return nil
    }

    private static func functionName(_ line: String) -> String? {
        let words = Words.of(String(line.trimmed))
        for (position, word) in words.enumerated() {
            switch word.text {
            case "func":
                // An operator has no word for a name.
                return position + 1 < words.count ? String(words[position + 1].text) : "operator"
            case "init", "subscript", "deinit":
                return String(word.text)
            default:
                guard modifiers.contains(word.text) || isAttribute(word, in: line) else {
                    return nil
                }
            }
        }
        return nil
    }

    private static func isAttribute(
        _ word: (text: Substring, start: String.Index), in line: String
    ) -> Bool {
        line.trimmed.hasPrefix("@")
    }

    /// The line of the brace that closes the body begun at or after a line; nil: no body, as in a
    /// protocol.
    private static func endOfBody(_ code: [String], from start: Int) -> Int? {
        var parentheses = 0
        var braces = 0
        var isInBody = false
        for index in start..<code.count {
            if index > start, !isInBody, parentheses == 0, functionName(code[index]) != nil {
                return nil
            }
            for character in code[index] {
                switch character {
                case "(", "[": parentheses += 1
                case ")", "]": parentheses -= 1
                case "{" where isInBody || parentheses == 0:
                    isInBody = true
                    braces += 1
                case "}" where isInBody:
                    braces -= 1
                    if braces == 0 { return index }
                case "}" where parentheses == 0:
                    return nil
                default: break
                }
            }
        }
        return nil
    }
}
