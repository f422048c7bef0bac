import RetryClient
import RetryModel
import SystemKit

/// A worker in one line: leases operations of a queue, runs a command for each, and reports how it
/// ended.
///
/// All waiting is done by one loop: for leases, for the ends of commands, for signals, for the time
/// to extend a lease or to try again to reach the daemon. While the daemon is away commands run on
/// and reports are kept.
final class Worker {
    struct Settings {
        var queue: String
        var command: [String]
        /// Attempts at a time.
        var attemptsMax = 1
        var visibilityMs: Int64?
        var timeoutMs: Int64?
        /// Ends when nothing came for that long.
        var idleMs: Int64?
    }

    struct Report {
        var id: Int64
        var token: Int64
        /// Nil: the attempt is given back, it was not really made.
        var outcome: RetryClient.Outcome?
    }

    static let signals: [ProcessSignal] = [.interrupt, .terminate, .hangUp]
    /// Between tries to reach the daemon.
    private static let reconnectUsec: Int64 = 500_000

    let settings: Settings
    let client: RetryClient
    let console: Console
    let loop: EventLoop
    private let signals: SignalQueue
    private var signalSource: Source?
    private var timer: TimerSource?
    private var stream: ReplyStream?
    private var streamSource: Source?
    var attempts: [WorkerAttempt] = []
    /// Could not be told yet, oldest first.
    var reports: [Report] = []
    /// When the daemon is tried again.
    private var reconnectAtUsec: Int64?
    private var idleSinceUsec: Int64
    /// No more work is taken; the loop ends with the last attempt.
    private(set) var isEnding = false
    /// By a signal, which commands may have got as well.
    private(set) var wasSignalled = false
    /// Why it ends, where that is a failure.
    private var failure: CommandFailure?
    /// Of the command that ended last.
    var lastExitCode: Int32 = 0

    init(_ settings: Settings, client: RetryClient, console: Console) throws(SystemError) {
        self.settings = settings
        self.client = client
        self.console = console
        loop = try EventLoop()
        signals = try SignalQueue(Worker.signals)
        idleSinceUsec = Clocks.boottimeUsec()
        signalSource = try loop.addIO(signals.fileDescriptor, .readable, priority: .signals) {
            [unowned self] _ in try takeSignals()
        }
        timer = try loop.addTimer(priority: .timer) { [unowned self] in try timePassed() }
    }

    // MARK: Running

    /// Leases until a signal or the idle time ends it.
    func runForever() throws {
        try openStream()
        try runLoop()
    }

    /// Works on what was leased already, then ends.
    func run(_ operations: [LeasedOperation]) throws {
        take(operations)
        try startWaiting()
        isEnding = true
        try runLoop()
    }

    private func runLoop() throws {
        try settle()
        _ = try loop.run()
        if let failure { throw failure }
    }

    /// Ends for want of something that no attempt can make good.
    func end(_ failure: CommandFailure) {
        self.failure = self.failure ?? failure
        isEnding = true
    }

    /// After whatever happened: starts what waits, sets the timer, or ends.
    func settle() throws {
        try startWaiting()
        if isEnding, attempts.isEmpty, reports.isEmpty { return loop.exit(0) }
        if !attempts.isEmpty { idleSinceUsec = loop.nowUsec }
        var next = reconnectAtUsec ?? .max
        for attempt in attempts { next = min(next, attempt.extendAtUsec) }
        if let idleMs = settings.idleMs, attempts.isEmpty {
            next = min(next, idleSinceUsec + idleMs * 1_000)
        }
        timer?.arm(atUsec: next)
    }

    private func timePassed() throws {
        let nowUsec = loop.nowUsec
        for attempt in attempts where attempt.extendAtUsec <= nowUsec { extend(attempt) }
        if let atUsec = reconnectAtUsec, atUsec <= nowUsec {
            reconnectAtUsec = nil
            sendReports()
            if stream == nil, !isEnding { try openStream() }
        }
        if let idleMs = settings.idleMs, attempts.isEmpty,
            nowUsec >= idleSinceUsec + idleMs * 1_000
        {
            isEnding = true
        }
        try settle()
    }

    private func takeSignals() throws {
        while let arrival = try signals.next() {
            if isEnding {
                for attempt in attempts { attempt.run?.stop() }
            } else if !attempts.isEmpty {
                console.say(
                    "retryctl: taking no more work; \(attempts.count) running, a second signal "
                        + "stops them")
            }
            isEnding = true
            wasSignalled = true
            // The terminal has sent it to the commands already.
            if arrival.signal == .interrupt, !arrival.isFromKernel {
                for attempt in attempts { attempt.run?.send(.interrupt) }
            }
        }
        giveBackWaiting()
        try settle()
    }

    func tryAgainLater() {
        reconnectAtUsec = reconnectAtUsec ?? loop.nowUsec + Worker.reconnectUsec
    }

    // MARK: Leases

    private func openStream() throws {
        do {
            let stream = try client.leaseStream(
                queues: [settings.queue], max: Int64(settings.attemptsMax),
                visibilityMs: settings.visibilityMs)
            self.stream = stream
            streamSource = try loop.addIO(
                stream.fileDescriptor, .readable, priority: .clients
            ) { [unowned self] _ in try takeLeases() }
        } catch let error as ClientError {
            lost(error)
        }
    }

    /// The daemon restarts, or says why there will be no work.
    private func lost(_ error: ClientError) {
        streamSource?.close()
        streamSource = nil
        stream = nil
        guard error.isPassing else { return end(CommandFailure(error)) }
        tryAgainLater()
    }

    private func takeLeases() throws {
        do throws(ClientError) {
            while let stream, case .item(let operations) = try stream.nextLeased(timeoutMs: 0) {
                take(operations)
            }
        } catch {
            lost(error)
        }
        try settle()
    }

    private func take(_ operations: [LeasedOperation]) {
        let nowUsec = loop.nowUsec
        let wallUsec = Clocks.realtimeUsec()
        attempts += operations.map {
            WorkerAttempt($0, nowUsec: nowUsec, wallUsec: wallUsec)
        }
        if isEnding { giveBackWaiting() }
    }
}
