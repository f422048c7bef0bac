import JSON
import Varlink

/// Texts for tests of what reads them.
enum Parsing {
    /// Gives the members of an object; the parser lives as long as the call.
    static func members<Result>(
        _ json: String, _ body: ([JSONValue.Member]) throws -> Result
    ) throws -> Result {
        try value(json) { try body($0.members.map(Array.init) ?? []) }
    }

    /// Gives the first member of an object.
    static func member<Result>(
        _ json: String, _ body: (JSONValue.Member) throws -> Result
    ) throws -> Result {
        try members(json) { try body($0[0]) }
    }

    static func value<Result>(
        _ json: String, _ body: (JSONValue) throws -> Result
    ) throws -> Result {
        let parser = JSONParser(lengthMax: 1 << 20, depthMax: 64)
        return try withExtendedLifetime(parser) { try body(try parser.parse(Array(json.utf8))) }
    }

    /// What a body throws as an error of the protocol: parameter and reason.
    static func refusal(_ body: () throws -> Void) throws -> String {
        do {
            try body()
            return "nothing"
        } catch ServiceError.invalidParameter(let parameter, let reason) {
            return "\(parameter): \(reason)"
        }
    }
}
