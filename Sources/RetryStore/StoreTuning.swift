/// Sizes and times that were measured rather than specified.
enum StoreTuning {
    /// Bytes of bodies in one row. A row of 48 KiB costs a tenth less to write than one of 16 KiB
    /// and three times as much to read for one of its bodies.
    static let chunkBytesMax = 16 * 1024
    /// SQLite's page. With 8 KiB inserts in order cost a tenth less and updates in random order,
    /// the slow case, a third more.
    static let pageBytes = 4_096
    /// SQLite's page cache. More speeds nothing that was measured and is resident memory.
    static let cacheKibibytes = 6 * 1_024
    /// Wait for a lock of SQLite's: only a person's sqlite3 holds one for long.
    static let busyMs = 1_000

    /// What the log is made to have from the start: what it comes to under load.
    static let logBytesPrepared: Int64 = 20 << 20
    static let logBytesPerStep = 1 << 20
    /// Pages in the log from which on it is copied back when there is nothing else to do.
    static let checkpointIdlePages = 1_000
    /// Pages in the log from which on it is copied back in any case: 16 MiB.
    static let checkpointBusyPages = 4_096
    /// Pages left over that the store thread copies itself, in 1 ms.
    static let checkpointRestPages = 256
    /// Under a load that writes as fast as the log is copied, the store thread copies more.
    static let checkpointPassesMax = 8

    /// Without work for that long, the store does its own.
    static let idleMs: Int64 = 50
    /// After a step of upkeep failed, the next comes that much later.
    static let upkeepRetryUsec: Int64 = 10_000_000
    /// Rows of bodies looked at in one step of clearing up.
    static let purgeChunksPerStep = 32
    /// Rows waiting to be cleared up from which on it is done between batches, too.
    static let purgeBacklogMax: Int64 = 4_096
    /// Free pages from which on the file is made smaller, when they are also a quarter of it.
    static let vacuumFreePagesMin: Int64 = 1_024
    static let vacuumPagesPerStep = 256

    /// What a probe writes, and where: no operation has this number.
    static let probeBytes = 256 * 1_024
    static let probeID: Int64 = 0
}
