import CSQLite
import SystemKit

/// Copies the log back into the database beside the store thread, on a connection and a thread of
/// its own. Before that it gives a new log its size.
///
/// A passive checkpoint hinders no writer (wal.html, section 2.2). One on the store thread would
/// keep everybody waiting while it copies and syncs: 10 ms for 16 MiB written in order, 30 ms and
/// more for pages all over the file, measured. What is committed in the meantime is left over, so
/// it goes again until little is; that little is for the store thread, because the log begins
/// anew only when all of it is copied.
final class Checkpointer: Sendable {
    private enum Phase: Sendable {
        case resting
        case working
        case ended(DatabaseError?)
        case stopping
    }

    private let phase = Lock(Phase.resting)
    private let wakeup: Wakeup
    private let path: String
    private let log: LogLength

    /// - Parameter path: The database, which is open.
    init(path: String, log: LogLength) throws(SystemError) {
        self.path = path
        self.log = log
        wakeup = try Wakeup(reader: .blocking)
    }

    // MARK: The store thread's side

    /// Starts copying.
    ///
    /// - Precondition: It rests.
    func begin() {
        phase.withLock { phase in
            guard case .resting = phase else {
                preconditionFailure("copying the log back begins while it goes on")
            }
            phase = .working
        }
        wakeup.signal()
    }

    var isResting: Bool {
        phase.withLock { phase in
            if case .resting = phase { true } else { false }
        }
    }

    var hasEnded: Bool {
        phase.withLock { phase in
            if case .ended = phase { true } else { false }
        }
    }

    /// Puts it to rest after it has ended, well or with an error.
    func takeEnd() throws(DatabaseError) {
        let error = phase.withLock { phase in
            guard case .ended(let error) = phase else {
                preconditionFailure("the end of copying is taken before it has come")
            }
            phase = .resting
            return error
        }
        if let error { throw error }
    }

    /// Makes the thread end when it has finished what it does.
    func stop() {
        phase.withLock { phase in phase = .stopping }
        wakeup.signal()
    }

    // MARK: Its own thread

    func run() {
        prepareLog()
        var database: Database?
        while waitForWork() {
            var failure: DatabaseError?
            do throws(DatabaseError) {
                if database == nil { database = try connect() }
                if let database { try copyBack(database) }
            } catch {
                failure = error
            }
            phase.withLock { phase in
                if case .working = phase { phase = .ended(failure) }
            }
        }
    }

    private func prepareLog() {
        var preparation = LogPreparation(path: "\(path)-wal")
        while !preparation.isDone, !isStopping { preparation.step() }
    }

    private var isStopping: Bool {
        phase.withLock { phase in
            if case .stopping = phase { true } else { false }
        }
    }

    /// - Returns: false when the thread is to end.
    private func waitForWork() -> Bool {
        while true {
            let answer: Bool? = phase.withLock { phase in
                switch phase {
                case .working: true
                case .stopping: false
                case .resting, .ended: nil
                }
            }
            if let answer { return answer }
            wakeup.wait()
        }
    }

    private func connect() throws(DatabaseError) -> Database {
        let database = try Database(path: path, mayCreate: false)
        // It never looks at a page, so it needs no cache of them.
        try database.execute(
            "PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL; PRAGMA cache_size = 16;")
        return database
    }

    private func copyBack(_ database: Database) throws(DatabaseError) {
        for _ in 0..<StoreTuning.checkpointPassesMax {
            var copiedPages: Int32 = 0
            let result = sqlite3_wal_checkpoint_v2(
                database.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, &copiedPages)
            // It came while a commit was changing the log's index. The next pass does not.
            if result & 0xff == SQLITE_BUSY { continue }
            guard result == SQLITE_OK else {
                throw DatabaseError(handle: database.handle, code: result)
            }
            // A checkpoint that leaves something over does not sync: the log is still whole. What
            // is synced here the store thread need not wait for.
            let syncResult = CSQLite_sync_database(database.handle)
            guard syncResult == SQLITE_OK else {
                throw DatabaseError(handle: database.handle, code: syncResult)
            }
            if log.pages - Int(copiedPages) <= StoreTuning.checkpointRestPages { return }
        }
    }
}
