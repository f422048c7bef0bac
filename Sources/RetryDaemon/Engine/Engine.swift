import JSON
import RetryConfig
import RetryCore
import RetryModel
import RetryStore
import SystemKit
import Varlink

/// Between the wire, the core and the store: takes calls in, gives the core its events, carries
/// its effects out and holds every answer until the batch it belongs to is on disk.
///
/// It belongs to the loop thread. It watches nothing itself: `Daemon` calls it when a connection
/// is ready, a batch is done or the time has come, and once at the end of each turn.
final class Engine {
    // The parts.
    var scheduler: Scheduler
    var settings: Settings
    let store: Store
    let journal: Journalist
    let polls: PollSet
    let processes: ProcessWatches
    let identity: DaemonIdentity
    var timeLine: TimeLine
    /// The time line goes on from that of the last run.
    var isTimeLineRestored = false
    var ruleNames = RuleNames()
    var hashKeys: (UInt64, UInt64) = (0, 0)

    // This turn.
    var now: Now
    var effects = Effects()
    /// What is to be stored next, and what its reads are for, in their order.
    var filling: StoreBatch
    var fillingReads: [(ReadResult) -> Void] = []
    var dirty: [PollToken] = []
    var readyQueues: [QueueIndex] = []
    /// Calls taken in since the last batch was handed over.
    var callsSinceHandOver = 0
    /// Clients that are expected to call again.
    var company = Company()
    /// Connections with answers that wait for a batch, each once.
    var awaitingStore: [PollToken] = []

    // Under way.
    /// The newest batch handed to the store, and the newest one that is stored.
    var submitted: UInt64 = 0
    var stored: UInt64 = 0
    /// When the newest batch was handed to the store.
    var handedOverUsec: Int64 = 0
    var submittedReads: [UInt64: [(ReadResult) -> Void]] = [:]
    var storeState = StoreState.serving
    var diskRoom = DiskRoom()
    /// Whether the host has a default route, as last told; nil: not known.
    var hasNetwork: Bool?
    /// Whether the wall clock is taken for right, as last told.
    var isClockTrusted = true
    /// The daemon ends: what fails now is not tried again.
    var isStopping = false
    /// What the daemon cannot go on after; the loop ends with it.
    var fatal: (any Error)?
    var anchorSavedAt: Instant

    // Clients.
    var connections: [Connection?] = []
    var connectionCount = 0
    var shareOfUser: [UserID: UserShare] = [:]
    /// What the answers of all connections take in memory.
    var answerBytes = 0
    /// Connections that are held up until answers have room again.
    var waitingForAnswerRoom: [PollToken] = []
    var connectionsOfProcess: [PeerProcess: Int] = [:]
    /// The processes that hold leases or have held some.
    var holderOfProcess: [PeerProcess: LeaseHolder] = [:]
    /// Connections whose calls found no room in the batch.
    var waitingForRoom: [PollToken] = []
    var watches: [PollToken] = []
    var waiters = LeaseWaiters()
    var streamOf: [OperationID: PollToken] = [:]

    var parser: JSONParser
    let dpopNonces = DPoPNonces()
    var scratch = JSONWriter()
    /// The decision that was written last, and the operation it was written for.
    var scratchDecision = JSONWriter()
    var decidedOperation: OperationID?
    var scratchFailure = JSONWriter()
    var scratchAttributes = JSONWriter()
    /// Replies to be written again.
    var spareReplies: [OperationsReply] = []
    var counters = Counters()
    var lateness = Histogram.lateness
    var submitDuration = Histogram.submit
    var submitClock = SubmitClock()

    // The outside, which is told of a reload. Set before the loop runs.
    var reloadBegins: () -> Void = {}
    /// With one sentence about how it ended.
    var reloadEnded: (String) -> Void = { _ in }
    /// Why the last reload was refused; nil: what is on disk is in force.
    var reloadRefusal: String?
    /// Users in the foreground by their sessions, and whether the core was told so.
    var sessionUsers: Set<UserID> = []
    var areSessionsInForce = false
    /// Since when the store has not answered; nil: it has nothing to do.
    var storeBusySince: Now?
    /// It was told that it does not.
    var isStoreSlow = false

    /// Whether the store takes writes.
    enum StoreState: Equatable {
        case serving
        /// New work is refused; a probe tells when it works again.
        case failing(String)
    }

    init(
        scheduler: Scheduler, settings: Settings, store: Store, journal: Journalist,
        polls: PollSet, processes: ProcessWatches, identity: DaemonIdentity,
        timeLine: TimeLine
    ) {
        self.scheduler = scheduler
        self.settings = settings
        self.store = store
        self.journal = journal
        self.polls = polls
        self.processes = processes
        self.identity = identity
        self.timeLine = timeLine
        now = self.timeLine.now()
        anchorSavedAt = now.instant
        filling = StoreBatch(sequence: 1)
        parser = JSONParser(
            lengthMax: settings.configuration.limits.messageBytesMax,
            depthMax: Limits.messageDepthMax)
    }

    /// The batch that must be stored before an answer made now may go out.
    var batchOfAnswers: UInt64 {
        filling.isEmpty ? submitted : filling.sequence
    }

    /// What numbers mean, for writing an answer.
    var words: Words {
        Words(
            now: now, ruleName: { self.ruleNames.name($0) },
            policyName: { self.scheduler.policies.name($0) },
            lane: { self.scheduler.lane($0) })
    }

    /// Begins a turn: the clocks are read once.
    func beginTurn() {
        now = timeLine.now()
    }

    /// Asks for something to be read once the batch that is filling is stored. Handlers are
    /// called in the order of the questions; what they are given lives as long as the call.
    func read(
        _ kind: ReadRequest.Kind, of id: OperationID, _ handler: @escaping (ReadResult) -> Void
    ) {
        filling.read(ReadRequest(tag: 0, kind, of: id))
        fillingReads.append(handler)
    }
}

/// Who this daemon is.
struct DaemonIdentity {
    var version: String
    /// The user it runs as, who may do what root may.
    var user: UserID
    var process: Int32
    var startedAt: WallTime
    var storePath: String
    var bootID: String
    /// Where configuration and rules are read from, at a start and at each reload.
    var searchPath: SearchPath
}

/// What Status counts since the start.
struct Counters {
    var calls: UInt64 = 0
    var submits: UInt64 = 0
    var attemptsFailed: UInt64 = 0
    var succeeded: UInt64 = 0
    var gaveUp: UInt64 = 0
    var batches: UInt64 = 0
}
