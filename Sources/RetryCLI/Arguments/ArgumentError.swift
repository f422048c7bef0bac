/// Why a command line is not understood. The description says what would be.
package enum ArgumentError: Error, Hashable, Sendable {
    case noCommand
    case unknownCommand(String, nearest: String?)
    case unknownOption(String, nearest: String?)
    case valueMissing(option: String, value: String)
    case valueNotTaken(option: String)
    case notAChoice(option: String, value: String, choices: [String])
    case givenTwice(option: String)
    case wordMissing(String)
    case wordTooMany(String)
    case commandLineMissing
    /// An argument is not UTF-8, counted from 1.
    case notText(number: Int)
}

extension ArgumentError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noCommand: "a command is needed"
        case .unknownCommand(let name, let nearest):
            "there is no command \"\(name)\"" + ArgumentError.suggestion(nearest)
        case .unknownOption(let name, let nearest):
            "there is no option \(name)" + ArgumentError.suggestion(nearest)
        case .valueMissing(let option, let value): "--\(option) needs a value: --\(option) \(value)"
        case .valueNotTaken(let option): "--\(option) takes no value"
        case .notAChoice(let option, let value, let choices):
            "--\(option) can't be \"\(value)\"; it is one of \(choices.joined(separator: ", "))"
        case .givenTwice(let option): "--\(option) is given twice"
        case .wordMissing(let name): "\(name) is missing"
        case .wordTooMany(let word): "\"\(word)\" is one word too many"
        case .commandLineMissing: "a command to run is needed behind --"
        case .notText(let number):
            "argument \(number) is not UTF-8, which an operation can't hold; pass a file or an "
                + "encoded name instead"
        }
    }

    private static func suggestion(_ nearest: String?) -> String {
        nearest.map { "; did you mean \($0)?" } ?? ""
    }
}
