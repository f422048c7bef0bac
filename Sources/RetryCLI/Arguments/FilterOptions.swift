package import RetryClient
import RetryModel
import SystemKit
import TOML

/// The options that say which operations are meant.
package enum FilterOptions {
    package static let definitions: [OptionDefinition] = [
        .value("queue", "QUEUE", "those of this queue"),
        .value("kind", "KIND", "those of this kind: custom, command, unit or http"),
        .list("state", "STATE", "those in this state; several by commas"),
        .value("key", "KEY", "the one with this key"),
        .value("owner", "USER", "those of this user"),
        .value("destination", "NAME", "those for this destination"),
        .value("credential", "NAME", "those that use this sign-in"),
        .value("rule", "RULE", "those whose newest failure matched this rule"),
    ]

    package static func filter(
        _ arguments: ParsedArguments
    ) throws(CommandFailure) -> OperationFilter {
        var filter = OperationFilter()
        filter.queue = arguments.value("queue")
        filter.kind = arguments.value("kind")
        if arguments.has("state") { filter.states = try states(arguments.values("state")) }
        filter.key = arguments.value("key")
        if let owner = arguments.value("owner") { filter.ownerID = try userID(owner) }
        filter.destination = arguments.value("destination")
        filter.credential = arguments.value("credential")
        filter.rule = arguments.value("rule")
        return filter
    }

    private static func states(_ values: [String]) throws(CommandFailure) -> [String] {
        let known = OperationState.allCases.map { $0.name.description }
        var states: [String] = []
        for value in values {
            for word in value.split(separator: ",") {
                let state = String(word)
                guard known.contains(state) else {
                    let nearest = NearestName.find(state, in: known)
                    throw CommandFailure(
                        "there is no state \"\(state)\""
                            + (nearest.map { "; did you mean \($0)?" }
                                ?? "; there are \(known.joined(separator: ", "))"),
                        .usage)
                }
                states.append(state)
            }
        }
        return states
    }

    /// A user by number or name.
    package static func userID(_ text: String) throws(CommandFailure) -> Int64 {
        if let id = UInt32(text) { return Int64(id) }
        do throws(SystemError) {
            if let user = try UserDatabase.user(name: text) { return Int64(user.id) }
        } catch {
            throw CommandFailure("\(error)", .failure)
        }
        throw CommandFailure("there is no user \"\(text)\" on this host", .usage)
    }

    /// What `cancel` and `retry` act on: operations by number, a filter, or everything one may
    /// touch, which must be said with `--all`.
    package static func selections(
        _ arguments: ParsedArguments
    ) throws(CommandFailure) -> [OperationSelection] {
        let filter = try filter(arguments)
        if arguments.words.isEmpty {
            if filter.isEmpty, !arguments.has("all") {
                throw CommandFailure(
                    "which operations? name their numbers, filter them (--queue, --state, …) or "
                        + "say --all", .usage)
            }
            return [.filter(filter)]
        }
        guard filter.isEmpty, !arguments.has("all") else {
            throw CommandFailure("numbers and a filter exclude each other", .usage)
        }
        var selections: [OperationSelection] = []
        var named: Set<Int64> = []
        for word in arguments.words {
            let id = try Invocation.operationID(word)
            if named.insert(id).inserted { selections.append(.id(id)) }
        }
        return selections
    }
}
