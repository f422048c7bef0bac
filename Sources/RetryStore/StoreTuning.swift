/// Sizes and times that were measured rather than specified.
enum StoreTuning {
    /// Bytes of bodies in one row. Larger rows cost less to write; a body that is read alone
    /// pays for the whole row.
    static let chunkBytesMax = 16 * 1024
    /// SQLite's page.
    static let pageBytes = 4_096
    /// SQLite's page cache. More speeds nothing that is measured and is resident memory.
    static let cacheKibibytes = 6 * 1024
    /// Pages in the log after which it is copied back as soon as there is nothing to do.
    static let checkpointIdlePages = 1_000
    /// Pages in the log after which it is copied back between two batches.
    static let checkpointBusyPages = 16_384
    /// Without work for that long, the store does its own.
    static let idleMs: Int64 = 50
    /// How long the store thread looks for the next batch before it sleeps.
    static let spinUsec: Int64 = 0
    /// Rows of bodies looked at in one step of clearing up.
    static let purgeChunksPerStep = 32
    /// Rows waiting to be cleared up from which on it is done between batches, too.
    static let purgeBacklogMax: Int64 = 4_096
    /// Free pages from which on the file is made smaller, when they are also a quarter of it.
    static let vacuumFreePagesMin: Int64 = 1_024
    static let vacuumPagesPerStep = 256
}
