import RetryClient
import SystemKit

/// Where a command reads from and writes to. Open until its runner has them.
final class CommandStreams {
    private var input: OwnedFD?
    /// Into the journal; nil: there is none, so to standard error of this process.
    private var output: OwnedFD?
    private var error: OwnedFD?

    init(for operation: LeasedOperation, _ input: [UInt8]?) throws(SystemError) {
        let identifier = "retryd-op-\(operation.id)"
        if let input { self.input = try MemoryFile.make(named: identifier, input) }
        guard Journal.isThere else { return }
        do throws(SystemError) {
            // One each: the journal puts together line by line what comes in parts.
            output = try Journal.streamFD(identifier: identifier, priority: .info)
            error = try Journal.streamFD(identifier: identifier, priority: .info)
        } catch {
            Notice.warning.say("operation \(operation.id) writes here and not to its own: \(error)")
        }
    }

    /// Enters the streams into an order, as long as it is carried out.
    func lend<Result>(
        to order: CommandRunner.Order,
        _ body: (CommandRunner.Order) throws(SystemError) -> Result
    ) throws(SystemError) -> Result where Result: ~Copyable {
        var order = order
        order.input = input?.rawValue
        order.output = output?.rawValue ?? order.output
        order.error = error?.rawValue ?? order.error
        return try withExtendedLifetime(self) { () throws(SystemError) in try body(order) }
    }
}
