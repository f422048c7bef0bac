/// Every fixed bound in one place, each with its reason. What an administrator may change is in
/// the configuration (config/retryd.toml) and defaults to the values here.
public enum Limits {
    // MARK: Wire

    /// A call or reply. A payload of `payloadBytesMax` in base64 with a failure of
    /// `failureBytesMax` and room for the frame around them.
    public static let messageBytesMax = 1 << 20
    /// Nested containers in a failure document (taxonomy: NSError chains nest three per cause).
    public static let failureDepthMax = 32
    /// Nested containers in a message: a failure sits in operation, item, items, parameters.
    public static let messageDepthMax = failureDepthMax + 6
    /// Read at once from a connection: one batch of pipelined calls.
    public static let readBytesMax = 64 * 1024
    /// Answers a connection may leave unread before its calls are no longer read.
    public static let outputBytesMax = 4 << 20
    /// The same of all connections of one user, and of all together, what is read from the store
    /// for them included. What is counted are bytes of answers; the process takes more, and that
    /// grows with the connections: answers of 330 KB each took some 0.1 GiB for 28 connections of
    /// a user, 0.8 GiB for 900. Root and admins are excepted from the bound on all, so that they
    /// can put things right.
    public static let outputBytesPerUserMax = 32 << 20
    public static let outputBytesTotalMax = 128 << 20
    /// What is reserved for an answer about an operation whose size was not noted: the largest
    /// payload and failure.
    public static let answerBytesUnknown = 512 * 1024
    /// The same about an event of Watch: its operation has a key and some tags.
    public static let summaryBytes = 1_024
    /// Calls of one connection that wait for their answers; then reading pauses.
    public static let pipelineMax = 1_024
    /// Connections in all. systemd's default for open files is 1024 soft and 524288 hard.
    public static let connectionsMax = 4_096
    /// Connections of one user, so that one cannot shut out others.
    public static let connectionsPerUserMax = 1_024

    /// What the batch that fills may hold while the one before it is stored; then no further calls
    /// are read. A disk that hangs must not fill the memory.
    public static let batchBytesMax = 32 << 20
    /// Events a watcher may leave unread; then its stream ends, because it would miss some.
    public static let watchBacklogMax = 16_384
    /// The same in bytes, and how much is too much when its user has reached his bound.
    public static let watchBacklogBytesMax = 16 << 20
    public static let watchBacklogSmall = 64 * 1024

    // MARK: Operations

    /// A payload before base64.
    public static let payloadBytesMax = 256 * 1024
    /// A failure document after redaction.
    public static let failureBytesMax = 128 * 1024
    /// Names of queues, keys, destinations, credentials, scopes, policies: what fits a line.
    public static let nameBytesMax = 255
    public static let keyBytesMax = 512
    public static let tagsMax = 32
    /// Live operations in all: about 120 bytes of memory each.
    public static let operationsMax = 4_000_000
    /// Live operations of one user, root excepted.
    public static let operationsPerUserMax = 1_000_000
    /// What the operations of one user keep on disk, root excepted, in bytes: as many as he may
    /// have of a usual size of one KiB. Dead and ended ones count as long as they are kept.
    public static let bytesPerUserMax = 1 << 30
    /// Free bytes on the disk below which users hand nothing over any more, or an eighth of a
    /// small disk: a batch under way with SQLite's log of it, and room to cancel a million
    /// operations.
    public static let diskReserveBytes: Int64 = 128 << 20
    /// Operations in one SubmitMany, and leased by one Lease.
    public static let batchMax = 1_024
    /// Ended and dead operations kept, each; the oldest go first.
    public static let endedKeptMax = 100_000
    public static let deadKeptMax = 1_000_000
    /// Attempts of one operation kept with their failures; the oldest but the first go first.
    public static let attemptsKeptMax = 32
    public static let endedKept = Span.days(1)
    public static let deadKept = Span.days(30)
    /// How long the event_id of an ended operation is remembered.
    public static let eventKept = Span.hours(24)
    /// Remembered event_ids of operations that are gone: about 45 bytes of memory each. Beyond
    /// that many the oldest are forgotten early.
    public static let eventsGoneKeptMax = 1_000_000

    // MARK: Scheduling

    /// Operations of a herd that become runnable in the first window of `rampWindow`. 1,000 a
    /// second: about as fast as the workers of one host start programs.
    public static let rampFirst = 100
    /// Growth of the ramp from one window to the next, in thousandths. A quarter doubles it in
    /// 300 ms: whoever is hurt by it can say so first, and 100,000 are out in three seconds.
    public static let rampGrowthMilli: Int64 = 1_250
    public static let rampWindow = Span.milliseconds(100)
    /// What comes due that late was kept back by a suspend or a loop that was held up.
    public static let overdueAfter = Span.seconds(1)
    /// Operations looked at in one turn after a level changed: about two milliseconds.
    public static let settledPerTurnMax = 2_048
    /// Pauses of one author: each new lane is compared with all.
    public static let pausesPerUserMax = 256
    public static let pauseReasonBytesMax = 512
    /// Lanes of one user: about 400 bytes of memory and a row each.
    public static let lanesPerUserMax = 100_000
    /// Levels of one user that stand, although no operation names them.
    public static let signalsPerUserMax = 4_096
    /// Lanes and signals that nothing uses any more and that are kept in case they are named again.
    public static let namesIdleMax = 1_024

    // MARK: Leases

    public static let visibilityMin = Span.seconds(1)
    public static let visibilityMax = Span.days(1)
    /// A closed connection leaves its leases that long, so that a worker can come back.
    public static let reconnectGrace = Span.seconds(10)
    /// After a start of the daemon, stored leases stand at least that long.
    public static let restartGrace = Span.seconds(30)
    /// A blocked Lease or a wait.
    public static let waitMax = Span.hours(1)

    // MARK: Turns of the loop

    /// Due operations handled in one turn, so that a storm cannot starve the connections.
    public static let duePerTurnMax = 4_096
    /// Operations that wait for something else and are passed over to find the one that is due
    /// next, so that a sentence of Status never goes through all that is held.
    public static let duePeekMax = 16_384
    /// Connections served in one turn.
    public static let connectionsPerTurnMax = 256
    /// Operations in an answer of List that asks for no number.
    public static let listDefault = 1_000
    /// Operations in one page of List before other work gets its turn.
    public static let listPageMax = 256
    /// Slots of the table looked through for a filter before other work gets its turn: about a
    /// millisecond.
    public static let scanSlotsMax = 65_536
    /// Operations that one Cancel or Retry acts on before other work gets its turn.
    public static let actPageMax = 1_024
}
