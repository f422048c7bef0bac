import JSON

extension CommandPayload {
    /// Why a payload is not a command. The text names the member.
    public struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
        public var description: String
    }

    /// Reads what `json` writes. Unknown members are refused: what they ask for would be left
    /// undone.
    public init(parsing json: RawJSON) throws(Malformed) {
        let parser = JSONParser(lengthMax: max(1_024, json.bytes.count), depthMax: 8)
        // A value lives as long as its parser.
        defer { withExtendedLifetime(parser) {} }
        let value: JSONValue
        do throws(JSONError) {
            value = try parser.parse(json.bytes)
        } catch {
            throw Malformed(description: "the payload is no JSON: \(error.message)")
        }
        guard let members = value.members else {
            throw Malformed(description: "the payload of a command must be an object")
        }
        self.init([])
        for member in members where !member.value.isNull {
            try read(member)
        }
        guard let program = arguments.first, !program.isEmpty else {
            throw Malformed(description: "\"argv\" must name a program")
        }
        guard arguments.allSatisfy({ !$0.utf8.contains(0) }) else {
            throw Malformed(description: "\"argv\" holds a NUL, which no argument can")
        }
        guard environment.allSatisfy({ isVariable($0) }) else {
            throw Malformed(description: "\"env\" holds a name or value that no variable can have")
        }
    }

    private mutating func read(_ member: JSONValue.Member) throws(Malformed) {
        let value = member.value
        switch member.name {
        case "argv":
            arguments = try strings(value, of: "argv")
        case "cwd":
            guard let text = value.string, text.utf8.first == UInt8(ascii: "/") else {
                throw Malformed(description: "\"cwd\" must be an absolute path")
            }
            workingDirectory = text
        case "umask":
            guard let mode = value.integer, (0...0o777).contains(mode) else {
                throw Malformed(description: "\"umask\" must be a whole number from 0 to 511")
            }
            umask = UInt32(mode)
        case "env":
            environment = try variables(value)
        case "stdin_base64":
            guard let text = value.text, let bytes = Base64.decode(text.bytes) else {
                throw Malformed(description: "\"stdin_base64\" must be base64")
            }
            input = bytes
        case "timeout_ms":
            guard let time = value.integer, time > 0 else {
                throw Malformed(description: "\"timeout_ms\" must be a positive integer")
            }
            timeoutMs = time
        case "program":
            guard let text = value.string else {
                throw Malformed(description: "\"program\" must be a string")
            }
            program = text
        case "retry_on":
            retryOn = try exitCodes(value)
        case "when_foreground":
            guard let bool = value.bool else {
                throw Malformed(description: "\"when_foreground\" must be true or false")
            }
            waitsForForeground = bool
        default:
            throw Malformed(
                description: "a command has no member \"\(member.name.string)\"")
        }
    }

    private func strings(_ value: JSONValue, of name: String) throws(Malformed) -> [String] {
        guard let elements = value.elements else {
            throw Malformed(description: "\"\(name)\" must be an array of strings")
        }
        var strings: [String] = []
        for element in elements {
            guard let string = element.string else {
                throw Malformed(description: "\"\(name)\" must be an array of strings")
            }
            strings.append(string)
        }
        return strings
    }

    private func variables(_ value: JSONValue) throws(Malformed) -> [Variable] {
        guard let members = value.members else {
            throw Malformed(description: "\"env\" must be an object of strings")
        }
        var variables: [Variable] = []
        for member in members {
            guard let string = member.value.string else {
                throw Malformed(description: "\"env\" must be an object of strings")
            }
            variables.append(Variable(name: member.name.string, value: string))
        }
        return variables
    }

    private func exitCodes(_ value: JSONValue) throws(Malformed) -> [Int32] {
        guard let elements = value.elements else {
            throw Malformed(description: "\"retry_on\" must be an array of exit codes")
        }
        var codes: [Int32] = []
        for element in elements {
            guard let code = element.integer, (1...255).contains(code) else {
                throw Malformed(description: "\"retry_on\" must be exit codes from 1 to 255")
            }
            codes.append(Int32(code))
        }
        return codes
    }

    private func isVariable(_ variable: Variable) -> Bool {
        !variable.name.isEmpty && !variable.name.utf8.contains(UInt8(ascii: "="))
            && !variable.name.utf8.contains(0) && !variable.value.utf8.contains(0)
    }
}
