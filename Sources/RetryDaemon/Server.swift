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
    private let manager: ServiceManager
    private let options: DaemonOptions
    private let passed: [ListenFD]

    private var listener: Listener?
    private var listenerSource: IOSource?
    private var sources: [Source] = []
    private var timer: TimerSource?
    private var acceptTimer: TimerSource?
    private var probeTimer: TimerSource?
    private var watchdog: Watchdog?
    private var hostWatch: HostWatch?
    private var statusLine: StatusLine?
    private var rounds: TimerSource?
    private var sessions: Sessions?
    private var events: [PollEvent] = []
    private var failure: (any Error)?

    /// - Parameter passed: What systemd passed to this process.
    init(
        _ options: DaemonOptions, passed: [ListenFD], _ settings: Settings, _ store: Store
    ) throws {
        self.options = options
        self.passed = passed
        self.store = store
        loop = try EventLoop()
        polls = try PollSet(eventsMax: Limits.connectionsPerTurnMax)
        journal = Journalist(try JournalThread.start(level: settings.journalLevel))
        manager = ServiceManager(journal)
        let bootID = try Boot.id(given: options.bootID)
        let identity = DaemonIdentity(
            version: Version.current, user: Credentials.effectiveUser,
            process: ProcessIdentity.own.process,
            startedAt: WallTime(usec: Clocks.realtimeUsec()), storePath: options.state,
            bootID: bootID.description, searchPath: options.searchPath)
        engine = Engine(
            scheduler: Scheduler(seed: Entropy.seed()), settings: settings, store: store,
            journal: journal, polls: polls, processes: ProcessWatches(loop), identity: identity,
            timeLine: TimeLine(
                bootID: bootID.description, stored: nil, boottimeUsec: Clocks.boottimeUsec(),
                wallUsec: Clocks.realtimeUsec(), isClockTrusted: ClockWatch.isTrusted))
    }

    func run() throws -> Int32 {
        // Whatever ends it: a store with its thread must not be dropped.
        defer { store.stop() }
        try recover()
        try store.start()
        try addSources()
        try addRounds()
        tellReloads()
        let listener = try Listener(options.socket, passed: passed, journal)
        self.listener = listener
        try listen(listener)
        // The anchor of a new boot and what recovery changed are stored before anybody is served.
        try turn { engine.saveAnchor() }
        statusLine = try StatusLine(loop, engine, manager)
        watchdog = try Watchdog(loop, manager)
        hostWatch = try HostWatch(loop, journal) { [self] change in
            try turn { engine.hostChanged(change) }
        }
        try hostWatch?.look()
        let sentence = engine.sentence
        manager.tell { () throws(SystemError) in try ServiceNotify.ready(status: sentence) }
        journal.started(sentence: sentence, socket: listener.path)
        try followSessions()
        let code = try loop.run()
        if let failure { throw failure }
        stop()
        return code
    }

    private func recover() throws {
        let start = Clocks.monotonicUsec()
        let progress = StartProgress(reading: options.state, startUsec: start)
        tellProgress(progress.beginning)
        try engine.restore { [unowned self] count in
            let sentence = progress.sentence(read: count, atUsec: Clocks.monotonicUsec())
            if let sentence { tellProgress(sentence) }
        }
        engine.ruleNames.rulesChanged(count: engine.settings.ruleCount)
        engine.putPoliciesInForce()
        engine.watchRestoredProcesses()
        for warning in engine.settings.warnings { journal.warning(warning) }
        let milliseconds = (Clocks.monotonicUsec() - start) / 1_000
        journal.note("Read \(options.state) in \(milliseconds) ms: \(engine.sentence)")
    }

    private func tellProgress(_ sentence: String) {
        manager.tell { () throws(SystemError) in
            try ServiceNotify.extendTimeout(usec: StartProgress.readingUsec, status: sentence)
        }
    }

    // MARK: Sources

    /// The loop serves the ready source of the highest priority; among those of the same priority
    /// the one that has waited longest. What must not starve while clients keep it busy, and must
    /// not keep clients waiting either, has their priority.
    private func addSources() throws {
        timer = try loop.addTimer(priority: .clients, accuracyUsec: 100) { [self] in
            try turn { engine.timePassed() }
        }
        probeTimer = try loop.addTimer(priority: .clients, accuracyUsec: 100_000) { [self] in
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
        engine.processes.ended = { [self] holder in try turn { engine.processEnded(holder) } }
    }

    private func listen(_ listener: Listener) throws {
        acceptTimer = try loop.addTimer(priority: .clients) { [self] in
            listenerSource?.set(.on)
        }
        listenerSource = try loop.addIO(
            listener.descriptor, .readable, priority: .clients
        ) { [self] _ in
            try turn {
                if try listener.acceptAll(into: engine) { return }
                listenerSource?.set(.off)
                acceptTimer?.arm(atUsec: Clocks.boottimeUsec() + Server.acceptPauseUsec)
            }
        }
    }

    /// How long no connection is looked for after no descriptor was left.
    private static let acceptPauseUsec: Int64 = 100_000

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
        try awaitCompany()
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
        if engine.storeBusySince != nil || engine.journal.repeats.since != nil {
            if rounds?.armedUsec == nil { rounds?.arm(atUsec: Clocks.boottimeUsec() + 2_000_000) }
        }
        statusLine?.touch()
    }

    /// Takes in the calls of clients that are expected to call again, before the batch is handed
    /// over.
    private func awaitCompany() throws {
        while let usec = engine.companyWaitUsec {
            try polls.wait(into: &events, timeoutUsec: usec)
            engine.beginTurn()
            for event in events { engine.ready(event) }
            engine.endTurn()
        }
        // Patience may have ended since the end of the turn.
        engine.handOver()
    }

    /// How often a store that cannot be written is tried again.
    private static let probeIntervalUsec: Int64 = 2_000_000

    /// SIGHUP. What is wrong is told by the engine: in journal and STATUS=, and nobody waits for it
    /// here.
    private func reload() throws {
        try turn { try? engine.reload() }
    }

    /// Whose foreground it is. A user's own daemon has to do with that user alone.
    private func followSessions() throws {
        sessions = try Sessions(loop, engine.settings.configuration.sessions, journal) {
            [unowned self] users in
            do {
                let all = options.isUsers ? users.intersection([Credentials.effectiveUser]) : users
                try turn { engine.sessionsChanged(to: all) }
            } catch {
                failure = error
                loop.exit(1)
            }
        }
    }

    private func tellReloads() {
        engine.reloadBegins = { [manager] in
            manager.tell { () throws(SystemError) in try ServiceNotify.reloading() }
        }
        engine.reloadEnded = { [unowned self] sentence in
            sessions?.choice = engine.settings.configuration.sessions
            manager.tell { () throws(SystemError) in try ServiceNotify.ready(status: sentence) }
        }
    }

    /// Looks now and then after what no event tells: a disk that does not answer, and the summary
    /// of what was told at debug only.
    private func addRounds() throws {
        rounds = try loop.addTimer(priority: .clients, accuracyUsec: 1_000_000) { [self] in
            try turn {
                engine.lookAfterStore()
                engine.journal.summarize(at: engine.now.instant)
            }
        }
    }

    // MARK: The end

    /// Finishes the commit in flight; what waits behind it was never answered and is not done.
    private func stop() {
        sessions?.close()
        journal.summarize(at: engine.now.instant, isEnd: true)
        journal.stopping()
        manager.tell { () throws(SystemError) in
            try ServiceNotify.stopping(status: "Finishing the last commit")
        }
        engine.finish()
        store.stop()
        engine.storeCompleted()
        engine.sendAll()
        listener?.close()
        journal.stop()
    }
}
