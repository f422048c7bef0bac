import RetryClient
import SystemKit

/// From a lease to a command.
extension Executor {
    /// After this an operation is asked for again whose earlier attempt is being stopped.
    private static let notYetMs: Int64 = 2_000
    /// After this an attempt that could not be made here and now is tried again.
    private static let notNowMs: Int64 = 10_000
    /// One that cannot be made by this process at all, but by another one.
    private static let notHereMs: Int64 = 60_000

    func start(_ operation: LeasedOperation) {
        if let earlier = attempts.values.first(where: { $0.id == operation.id }) {
            return putOff(operation, until: earlier)
        }
        guard isRoot || operation.ownerID == Int64(Credentials.effectiveUser) else {
            return giveBackOthers(operation)
        }
        let command: CommandPayload
        do throws(CommandPayload.Malformed) {
            command = try payload(of: operation)
        } catch {
            return report(operation, AttemptOutcome.malformed(error))
        }
        do throws(SystemError) {
            try makeRunner(operation, command)
        } catch {
            Notice.error.say("operation \(operation.id) put off: \(error)")
            giveBack(operation, delayMs: Executor.notNowMs)
        }
    }

    private func payload(
        of operation: LeasedOperation
    ) throws(CommandPayload.Malformed) -> CommandPayload {
        switch operation.payload {
        case .json(let json): try CommandPayload(parsing: json)
        case .text(let text): try CommandPayload(parsing: RawJSON(Array(text.utf8)))
        case .bytes(let bytes): try CommandPayload(parsing: RawJSON(bytes))
        case .none: try CommandPayload(parsing: RawJSON([]))
        }
    }

    /// Makes a runner and hands the lease over to it. It starts the command when the daemon has
    /// stored that.
    private func makeRunner(
        _ operation: LeasedOperation, _ command: CommandPayload
    ) throws(SystemError) {
        guard let owner = UInt32(exactly: operation.ownerID),
            let group = UInt32(exactly: operation.ownerGroupID)
        else { preconditionFailure("the daemon tells users as the kernel does") }
        let account = try CommandAccount(owner: owner, group: group, mayBecomeOthers: isRoot)
        let files = runtime.files(id: operation.id, token: operation.token)
        var order = CommandRunner.Order(
            arguments: command.arguments,
            environment: CommandEnvironment.make(
                for: operation, command, account,
                socket: options.socket == SocketPath.system ? nil : options.socket),
            directory: command.workingDirectory ?? account.home,
            output: StandardStream.error.fileDescriptor, error: StandardStream.error.fileDescriptor,
            killAfterMs: Int64(options.killAfterS) * 1_000, files: files)
        order.directoryIsWish = command.workingDirectory == nil
        order.identity = account.identity
        if let umask = command.umask { order.umask = umask }
        order.timeoutMs = command.timeoutMs
        let streams = try CommandStreams(for: operation, command.input)
        let runner = try streams.lend(to: order, CommandRunner.make)
        extend(try begin(operation, command, runner))
    }

    /// Keeps account of a runner that waits. If that fails the runner ends with its start.
    private func begin(
        _ operation: LeasedOperation, _ command: CommandPayload,
        _ runner: consuming CommandRunner.Waiting
    ) throws(SystemError) -> Attempt {
        let process = runner.process
        guard let pidfd = try ProcessIdentity.open(process) else {
            throw SystemError(code: SystemError.noSuchProcess, operation: "watch a runner")
        }
        let state = AttemptState(
            id: operation.id, token: operation.token, runner: ProcessIdentity(of: process),
            command: command, isIdempotent: operation.isIdempotent,
            memoryKills: memory.killCount)
        try runtime.save(state)
        let attempt = try add(
            state, .handingOver, RunnerHandle(pidfd: pidfd, start: runner.takeStart()))
        attempt.leaseStands(
            untilUsec: operation.visibilityUsec, wallUsec: Clocks.realtimeUsec(),
            nowUsec: loop.nowUsec)
        attempt.isConfirmed = true
        return attempt
    }

    // MARK: Not started

    /// Its lease was lost, but its command may still run: the two do not run side by side.
    private func putOff(_ operation: LeasedOperation, until earlier: Attempt) {
        Notice.notice.say("operation \(operation.id) waits until its earlier attempt has ended")
        stop(earlier)
        giveBack(operation, delayMs: Executor.notYetMs)
    }

    private func giveBackOthers(_ operation: LeasedOperation) {
        if refusedOwners.insert(operation.ownerID).inserted {
            Notice.warning.say(
                "commands of user \(operation.ownerID) are left to others: this process runs as "
                    + "user \(Credentials.effectiveUser) and cannot become another one; a "
                    + "retryd-exec of root's can")
        }
        giveBack(operation, delayMs: Executor.notHereMs)
    }

    private func giveBack(_ operation: LeasedOperation, delayMs: Int64) {
        // Without an answer the lease ends by itself, with this process or its visibility.
        link?.calls.release(operation.id, token: operation.token, delayMs: delayMs) { answer in
            if case .failure(let error) = answer {
                Notice.warning.say("operation \(operation.id) not given back: \(error)")
            }
        }
    }

    private func report(_ operation: LeasedOperation, _ outcome: RetryClient.Outcome) {
        link?.calls.report(
            operation.id, token: operation.token, outcome, leaseNext: 0
        ) { answer in
            if case .failure(let error) = answer {
                Notice.warning.say("operation \(operation.id) not reported: \(error)")
            }
        }
    }
}
