import RetryModel
import TOML

/// One key of a file with its value, and the readings of that value, each with its error.
struct Setting {
    var file: String
    var key: String
    var value: TOMLValue

    /// An error at the value.
    func refused(_ reason: String) -> ConfigurationError {
        refused(value, reason)
    }

    private func refused(_ value: TOMLValue, _ reason: String) -> ConfigurationError {
        ConfigurationError(
            file: file, line: value.position.line, column: value.position.column, reason: reason)
    }

    func string() throws(ConfigurationError) -> String {
        guard let text = value.string else {
            throw refused("\(key) takes a string, not \(value.kindName)")
        }
        return text
    }

    func bool() throws(ConfigurationError) -> Bool {
        guard let flag = value.bool else {
            throw refused("\(key) takes true or false, not \(value.kindName)")
        }
        return flag
    }

    func integer(in range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
        guard let number = value.integer else {
            throw refused("\(key) takes an integer, not \(value.kindName)")
        }
        guard let integer = Int(exactly: number), range.contains(integer) else {
            throw refused(
                "\(key) = \(number) is out of range: "
                    + "it may be \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// A size in bytes: an integer, or a string such as "256K".
    func size(in range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
        let size: Int
        if let number = value.integer {
            size = Int(number)
        } else if let text = value.string {
            guard let parsed = SizeText.parse(text) else {
                throw refused("\(key) = \"\(text)\" is not a size: write \"256K\" or \"1M\"")
            }
            size = parsed
        } else {
            throw refused("\(key) takes a size such as \"256K\", not \(value.kindName)")
        }
        guard range.contains(size) else {
            throw refused(
                "\(key) is out of range: it may be \(SizeText.write(range.lowerBound)) to "
                    + SizeText.write(range.upperBound))
        }
        return size
    }

    func span(in range: ClosedRange<Span>) throws(ConfigurationError) -> Span {
        try span(value, in: range)
    }

    /// A list of spans; each follows the rules of `span`.
    func spans(in range: ClosedRange<Span>) throws(ConfigurationError) -> [Span] {
        var spans: [Span] = []
        for element in try elements(of: "times such as [\"10s\", \"1min\"]") {
            spans.append(try span(element, in: range))
        }
        return spans
    }

    /// A number of seconds, or a string such as "1h 30min"; "infinity" where the range ends there.
    private func span(
        _ value: TOMLValue, in range: ClosedRange<Span>
    ) throws(ConfigurationError) -> Span {
        let span: Span
        if let seconds = value.integer {
            span = .seconds(seconds)
        } else if let text = value.string {
            guard let parsed = text == "infinity" ? .infinity : SpanText.parse(text) else {
                throw refused(
                    value,
                    "\(key): \"\(text)\" is not a time: write \"90s\", \"1h 30min\" or \"5d\"")
            }
            span = parsed
        } else {
            throw refused(
                value, "\(key) takes a time such as \"90s\" or seconds, not \(value.kindName)")
        }
        guard range.contains(span) else {
            throw refused(
                value,
                "\(key) is out of range: it may be \(SpanText.write(range.lowerBound)) to "
                    + SpanText.write(range.upperBound))
        }
        return span
    }

    /// A number in thousandths, so that nothing after this is a fraction.
    func thousandths(in range: ClosedRange<Int64>) throws(ConfigurationError) -> Int64 {
        guard let number = value.double else {
            throw refused("\(key) takes a number, not \(value.kindName)")
        }
        let scaled = (number * 1_000).rounded()
        guard scaled >= Double(range.lowerBound), scaled <= Double(range.upperBound) else {
            throw refused(
                "\(key) = \(number) is out of range: it may be \(range.lowerBound / 1_000) to "
                    + "\(range.upperBound / 1_000)")
        }
        return Int64(scaled)
    }

    /// One of a list of words.
    func word<Word>(of words: [(name: String, meaning: Word)]) throws(ConfigurationError) -> Word {
        let text = try string()
        if let found = words.first(where: { $0.name == text }) { return found.meaning }
        let names = words.map(\.name)
        throw refused("\(key) = \"\(text)\" is unknown\(Setting.suggestion(for: text, in: names))")
    }

    /// Names or numbers of users.
    func users(_ names: NameResolver) throws(ConfigurationError) -> UserList {
        var list = UserList()
        for element in try elements(of: "users such as [\"www-data\", 1001]") {
            if let number = element.integer {
                guard let user = UserID(exactly: number), user != .max else {
                    throw refused(element, "\(key): \(number) is not a user number")
                }
                list.users.append(user)
            } else if let name = element.string {
                if let user = names.user(name) {
                    list.users.append(user)
                } else {
                    list.unknown.append("\(refused(element, "\(key): no user \"\(name)\""))")
                }
            } else {
                throw refused(element, "\(key) names users, not \(element.kindName)")
            }
        }
        return list
    }

    private func elements(of what: String) throws(ConfigurationError) -> [TOMLValue] {
        guard let elements = value.array else {
            throw refused("\(key) takes a list of \(what), not \(value.kindName)")
        }
        return elements
    }

    /// What follows the name of something unknown: the nearest word that exists, else all of them.
    static func suggestion(for word: String, in words: [String]) -> String {
        if let nearest = NearestName.find(word, in: words) { return "; did you mean \(nearest)?" }
        return "; known are " + words.joined(separator: ", ")
    }
}

/// Users as a setting names them.
struct UserList {
    var users: [UserID] = []
    /// A sentence for each name nobody has. Such a user is passed over: one who was removed from
    /// the host must not keep the daemon from starting.
    var unknown: [String] = []
}
