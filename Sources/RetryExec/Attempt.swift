import RetryClient
import SystemKit

/// One attempt under way: its lease, its runner, and how far it is.
final class Attempt {
    /// Each lists what may follow.
    enum Phase: Hashable {
        /// The runner waits until the lease is its own: a command that runs has a lease that its
        /// runner holds, stored by the daemon. To `running`, `stopping`.
        case handingOver
        /// To `ended`, `stopping`; to none when the runner dies.
        case running
        /// The result lies there and `outcomes` are to be reported. To none when that is done.
        case ended
        /// The lease is lost: the runner was told to stop the command. To none when it has.
        case stopping
    }

    let state: AttemptState
    let files: CommandRunner.Files
    var phase: Phase
    let runner: RunnerHandle

    /// How long the lease stands after a word, and when the next one is due (CLOCK_BOOTTIME).
    private var visibilityUsec: Int64 = 0
    private var extendAtUsec: Int64
    var extendIsOut = false
    /// When the outcome is to be told (CLOCK_BOOTTIME), and after how long again.
    private var reportAtUsec: Int64?
    private var reportDelayUsec = Attempt.reportDelayFirstUsec
    /// What is told, and what instead where the daemon does not take that.
    private(set) var outcomes: [RetryClient.Outcome] = []
    var reportIsOut = false
    /// Whether the daemon has said on the present connection what it thinks of this attempt.
    var isConfirmed = false

    private static let reportDelayFirstUsec: Int64 = 500_000
    private static let reportDelayMaxUsec: Int64 = 30_000_000
    /// A command that was cancelled is stopped when its lease is to be extended: so soon at least.
    private static let extendEveryMaxUsec: Int64 = 5_000_000
    private static let extendEveryMinUsec: Int64 = 100_000

    var id: Int64 { state.id }
    var token: Int64 { state.token }

    init(
        _ state: AttemptState, _ files: CommandRunner.Files, _ phase: Phase,
        _ runner: RunnerHandle, nowUsec: Int64
    ) {
        self.state = state
        self.files = files
        self.phase = phase
        self.runner = runner
        extendAtUsec = nowUsec
    }

    // MARK: The lease

    /// The daemon told until when the lease stands.
    ///
    /// - Parameters:
    ///   - untilUsec: by the wall clock, as `wallUsec`.
    ///   - nowUsec: the same moment as `wallUsec` on CLOCK_BOOTTIME.
    func leaseStands(untilUsec: Int64, wallUsec: Int64, nowUsec: Int64) {
        visibilityUsec = max(0, untilUsec - wallUsec)
        planExtension(nowUsec: nowUsec)
    }

    /// A third of the visibility: two words may get lost before the lease does.
    func planExtension(nowUsec: Int64) {
        let every = min(visibilityUsec / 3, Attempt.extendEveryMaxUsec)
        extendAtUsec = nowUsec + max(every, Attempt.extendEveryMinUsec)
    }

    func extensionIsDue(nowUsec: Int64) -> Bool {
        nextExtensionUsec.map { $0 <= nowUsec } ?? false
    }

    /// The lease is kept until the report is taken, but its runner must live: that is what it
    /// stands on.
    private var nextExtensionUsec: Int64? {
        guard !extendIsOut, runner.isAlive else { return nil }
        return switch phase {
        case .handingOver, .running, .ended: extendAtUsec
        case .stopping: nil
        }
    }

    // MARK: The report

    /// - Parameter outcomes: at least one; a later one is told where an earlier one is refused.
    func ended(_ outcomes: [RetryClient.Outcome], nowUsec: Int64) {
        phase = .ended
        self.outcomes = outcomes
        reportAtUsec = nowUsec
    }

    /// The daemon refused an outcome for what it says.
    ///
    /// - Returns: whether there is another one to tell.
    func outcomeWasRefused() -> Bool {
        outcomes.removeFirst()
        return !outcomes.isEmpty
    }

    /// It was not taken: again, later each time.
    func planReport(nowUsec: Int64) {
        reportAtUsec = nowUsec + reportDelayUsec
        reportDelayUsec = min(2 * reportDelayUsec, Attempt.reportDelayMaxUsec)
    }

    func reportIsDue(nowUsec: Int64) -> Bool {
        nextReportUsec.map { $0 <= nowUsec } ?? false
    }

    private var nextReportUsec: Int64? { reportIsOut ? nil : reportAtUsec }

    // MARK: Both

    /// When something is to be said about it; nil: when something was heard.
    var nextUsec: Int64? {
        guard let extend = nextExtensionUsec, let report = nextReportUsec else {
            return nextExtensionUsec ?? nextReportUsec
        }
        return min(extend, report)
    }

    /// The connection is a new one: nothing is on its way, and the daemon may be another one.
    func connectionIsNew(nowUsec: Int64) {
        extendIsOut = false
        reportIsOut = false
        isConfirmed = false
        extendAtUsec = nowUsec
        if phase == .ended { reportAtUsec = nowUsec }
    }
}
