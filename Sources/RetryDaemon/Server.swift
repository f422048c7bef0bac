import RetryConfig
import RetryCore
import RetryModel
import RetryStore
import SystemKit

/// Loop, sources and engine, wired together.
final class Server {
    private let loop: EventLoop
    private let polls: PollSet
    private let store: Store
    private let engine: Engine
    private let journal: Journalist
    private let options: DaemonOptions

    private var listener: Listener?
    private var sources: [Source] = []
    private var timer: TimerSource?
    private var probeTimer: TimerSource?
    private var watchdog: Watchdog?
    private var statusLine: StatusLine?
    private var events: [PollEvent] = []
    private var failure: (any Error)?

    init(_ options: DaemonOptions, _ settings: Settings, _ store: Store) throws {
        self.options = options
        self.store = store
        loop = try EventLoop()
        polls = try PollSet(eventsMax: Limits.connectionsPerTurnMax)
        let level = JournalPriority(
            rawValue: UInt8(settings.configuration.journalLevel.rawValue))
        journal = Journalist(try JournalThread.start(level: level ?? .info))
        let bootID = try Boot.id(given: options.bootID)
        let identity = DaemonIdentity(
            version: Interface.version, user: Credentials.effectiveUser,
            process: ProcessIdentity.own.process,
            startedAt: WallTime(usec: Clocks.realtimeUsec()), storePath: options.state,
            bootID: bootID.description, searchPath: options.searchPath)
        engine = Engine(
            scheduler: Scheduler(seed: Entropy.seed()), settings: settings, store: store,
            journal: journal, polls: polls, processes: ProcessWatches(loop), identity: identity,
            timeLine: TimeLine(
                bootID: bootID.description, stored: nil, boottimeUsec: Clocks.boottimeUsec(),
                wallUsec: Clocks.realtimeUsec()))
    }

    func run() throws -> Int32 {
        try recover()
        try store.start()
        try addSources()
        let listener = try Listener(options.socket, journal)
        self.listener = listener
        sources.append(
            try loop.addIO(listener.descriptor, .readable, priority: .accept) { [self] _ in
                try turn { try listener.acceptAll(into: engine) }
            })
        // The anchor of a new boot and what recovery changed are stored before anybody is served.
        try turn { engine.saveAnchor() }
        statusLine = try StatusLine(loop, engine)
        watchdog = try Watchdog(loop, engine)
        _ = try ServiceNotify.ready(status: engine.sentence)
        journal.started(sentence: engine.sentence, socket: listener.path)
        let code = try loop.run()
        if let failure { throw failure }
        stop()
        return code
    }

    private func recover() throws {
        let start = Clocks.monotonicUsec()
        _ = try ServiceNotify.status("Reading \(options.state)")
        _ = try ServiceNotify.extendTimeout(usec: 300_000_000)
        try engine.restore()
        engine.ruleNames.rulesChanged(count: engine.settings.ruleCount)
        engine.putPoliciesInForce()
        engine.watchRestoredHolders()
        for warning in engine.settings.warnings { journal.warning(warning) }
        let milliseconds = (Clocks.monotonicUsec() - start) / 1_000
        journal.note("Read \(options.state) in \(milliseconds) ms: \(engine.sentence)")
    }

    // MARK: Sources

    private func addSources() throws {
        timer = try loop.addTimer(priority: .timer) { [self] in
            try turn { engine.timePassed() }
        }
        probeTimer = try loop.addTimer(priority: .idle, accuracyUsec: 100_000) { [self] in
            try turn { engine.probeStore() }
        }
        sources.append(
            try loop.addIO(store.completionFD, .readable, priority: .store) { [self] _ in
                try turn { engine.storeCompleted() }
            })
        sources.append(
            try loop.addIO(polls.fileDescriptor, .readable, priority: .clients) { [self] _ in
                try turn { try serveConnections() }
            })
        sources.append(try loop.addSignal(.terminate) { [self] in loop.exit(0) })
        sources.append(try loop.addSignal(.interrupt) { [self] in loop.exit(0) })
        sources.append(try loop.addSignal(.hangUp) { [self] in try reload() })
        sources.append(
            try loop.addSignal(.user1) { [self] in try turn { engine.foregroundOfAllScopes() } })
        engine.processes.ended = { [self] holder, names in
            try turn {
                engine.holderDied(holder)
                for name in names { engine.signalEnded(name) }
            }
        }
    }

    private func serveConnections() throws {
        try polls.wait(into: &events, timeoutMs: 0)
        for event in events { engine.ready(event) }
    }

    /// One turn: the clocks are read, the event is handled, and at its end the batch is handed
    /// over, answers go out and the timer is set.
    private func turn(_ body: () throws -> Void) throws {
        engine.beginTurn()
        try body()
        engine.endTurn()
        if let next = engine.nextDueBoottimeUsec {
            timer?.arm(atUsec: next)
        } else {
            timer?.disarm()
        }
        if engine.storeState != .serving {
            let retry = Clocks.boottimeUsec() + Server.probeIntervalUsec
            if probeTimer?.armedUsec == nil { probeTimer?.arm(atUsec: retry) }
        }
        if let error = engine.fatal {
            failure = error
            loop.exit(1)
        }
        statusLine?.touch()
    }

    /// How often a store that cannot be written is tried again.
    private static let probeIntervalUsec: Int64 = 2_000_000

    private func reload() throws {
        _ = try ServiceNotify.reloading()
        var sentence = ""
        try turn {
            do {
                try engine.reload()
                sentence = engine.sentence
            } catch {
                sentence = "Configuration refused, nothing changed: \(error)"
            }
        }
        // Also after a refusal: the old configuration serves on, and without READY=1 the reload
        // would hang (sd_notify(3)).
        _ = try ServiceNotify.ready(status: sentence)
    }

    // MARK: The end

    /// Finishes the commit in flight; what waits behind it was never answered and is not done.
    private func stop() {
        journal.stopping()
        _ = try? ServiceNotify.stopping(status: "Finishing the last commit")
        listener?.stopAccepting()
        engine.saveAnchor()
        engine.finish()
        store.stop()
        engine.storeCompleted()
        engine.sendAll()
        listener?.close()
        journal.stop()
    }
}
