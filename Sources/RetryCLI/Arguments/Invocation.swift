package import RetryClient
import SystemKit

/// One run of a command: what was asked for, where to write, whom to ask.
package final class Invocation {
    package let arguments: ParsedArguments
    package let console: Console
    private let socketPath: String
    package private(set) lazy var client = RetryClient(path: socketPath)

    package init(_ arguments: ParsedArguments, console: Console) throws(CommandFailure) {
        self.arguments = arguments
        self.console = console
        socketPath = try GlobalOptions.socketPath(arguments)
        console.jsonMode = arguments.value("json").flatMap(Console.JSONMode.init) ?? .off
        console.isQuiet = arguments.has("quiet")
        console.hasLegend = !arguments.has("no-legend")
    }

    /// Whether answers are printed as they come.
    package var printsJSON: Bool { console.jsonMode != .off }

    /// The present by the wall clock.
    package var nowUsec: Int64 { Clocks.realtimeUsec() }

    /// Calls the daemon; its errors end the command.
    package func ask<Answer>(
        _ call: (RetryClient) throws -> Answer
    ) throws(CommandFailure) -> Answer {
        do {
            return try call(client)
        } catch let error as ClientError {
            throw CommandFailure(error)
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure("\(error)", .failure)
        }
    }

    // MARK: Words and values

    /// An operation's number.
    package static func operationID(_ word: String) throws(CommandFailure) -> Int64 {
        guard let id = Int64(word), id > 0 else {
            throw CommandFailure("\"\(word)\" is not an operation's number", .usage)
        }
        return id
    }

    /// An option's whole number within bounds.
    package func integer(
        _ name: String, in range: ClosedRange<Int64>
    ) throws(CommandFailure) -> Int64? {
        guard let text = arguments.value(name) else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            throw CommandFailure(
                "--\(name) \(text): a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound) is needed", .usage)
        }
        return number
    }

    /// An option's length of time.
    package func spanMs(_ name: String) throws(CommandFailure) -> Int64? {
        guard let text = arguments.value(name) else { return nil }
        guard let ms = TimeText.parseSpanMs(text) else {
            throw CommandFailure(
                "--\(name) \(text): a length of time is needed, e.g. 90s, 5min, 1h 30min, 2d; "
                    + "at most 36500d",
                .usage)
        }
        return ms
    }
}
