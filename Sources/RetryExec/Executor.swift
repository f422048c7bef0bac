import RetryClient
import SystemKit

/// Leases commands, has each run by a runner of its own, keeps their leases alive, and reports how
/// they ended.
///
/// One thread and one loop. Everything that must survive it is in the runners and their files: it
/// can end at any moment, and the next one goes on.
final class Executor {
    let options: ExecOptions
    let runtime: RuntimeDirectory
    let loop: EventLoop
    let memory = OutOfMemory()
    /// This process may become any user.
    let isRoot = Credentials.effectiveUser == 0

    var link: Link?
    /// When the daemon is tried again (CLOCK_BOOTTIME), and after how long.
    var reconnectAtUsec: Int64?
    var reconnectDelayMs = Executor.reconnectDelayFirstMs
    /// When work is asked for again after the daemon could not give any.
    var askAtUsec: Int64?

    var attempts: [AttemptKey: Attempt] = [:]
    /// Attempts that calls on their way may bring.
    var promised = 0
    /// Owners whose commands were given back, because this process cannot become them.
    var refusedOwners: Set<Int64> = []

    private let watch: DirectoryWatch
    private var sources: [Source] = []
    private var timer: TimerSource?

    static let reconnectDelayFirstMs: Int64 = 50
    static let reconnectDelayMaxMs: Int64 = 1_000

    init(_ options: ExecOptions, _ runtime: consuming RuntimeDirectory) throws(SystemError) {
        self.options = options
        loop = try EventLoop()
        watch = try DirectoryWatch(runtime.path)
        self.runtime = runtime
        for signal in [.terminate, .interrupt] as [ProcessSignal] {
            sources.append(try loop.addSignal(signal) { [unowned self] in loop.exit(0) })
        }
        sources.append(
            try loop.addIO(watch.fileDescriptor, .readable, priority: .store) {
                [unowned self] _ in
                try watch.drain()
                takeResults()
            })
        timer = try loop.addTimer(priority: .timer) { [unowned self] in timePassed() }
        // What was ordered in a turn goes out at its end.
        sources.append(
            try loop.addPost(priority: .idle) { [unowned self] in endTurn() })
    }

    /// Goes on with what is under way and runs until a signal ends it.
    ///
    /// - Throws: `ClientError` when the daemon cannot be reached at the start, `SystemError`.
    func run() throws -> Int32 {
        try connect()
        try adoptAttempts()
        endTurn()
        let units = options.startsUnits ? try UnitWorker(options, loop) : nil
        defer { units?.stop() }
        return try loop.run()
    }

    /// Asks for work, sends what is in line, and sets the timer.
    private func endTurn() {
        askForWork()
        sendCalls()
        // Without the daemon there is nobody to say anything to.
        let moments =
            link == nil ? [reconnectAtUsec] : attempts.values.map(\.nextUsec) + [askAtUsec]
        timer?.arm(atUsec: moments.reduce(.max) { min($0, $1 ?? .max) })
    }

    private func timePassed() {
        let nowUsec = loop.nowUsec
        if let moment = reconnectAtUsec, moment <= nowUsec { reconnect() }
        if let moment = askAtUsec, moment <= nowUsec { askAtUsec = nil }
        for attempt in attempts.values { tend(attempt) }
    }
}

/// An attempt by what fences it.
struct AttemptKey: Hashable {
    let id: Int64
    let token: Int64
}

extension Attempt {
    var key: AttemptKey { AttemptKey(id: id, token: token) }
}
