import CSQLite
import SystemKit

/// Opens the database file: looks before it touches, makes a new one, migrates an older one.
enum StoreFile {
    static let databaseName = "retryd.sqlite"
    static let lockName = "retryd.lock"

    static func open(
        directory: String, schema: Schema
    ) throws(StoreOpenError) -> Database {
        let path = "\(directory)/\(databaseName)"
        do {
            if try isMissing(path) { try create(path, directory: directory, schema) }
            let database = try Database(path: path, mayCreate: false)
            try configure(database)
            try check(database, path, schema)
            try startLog(database, path)
            let found = try database.integer("PRAGMA user_version")
            if found < schema.version {
                try migrate(database, path: path, directory: directory, from: found, to: schema)
            }
            return database
        } catch let error as StoreOpenError {
            throw error
        } catch let error as SystemError {
            throw .system(error)
        } catch let error as DatabaseError {
            throw explained(error, path)
        } catch {
            preconditionFailure("opening throws three kinds of errors")
        }
    }

    /// Whether the store has yet to be made. An empty file is none.
    private static func isMissing(_ path: String) throws -> Bool {
        if let status = try Files.status(path), status.size > 0 { return false }
        // SQLite would silently delete a log that has no database.
        let log = "\(path)-wal"
        if let status = try Files.status(log), status.size > 0 {
            throw StoreOpenError.logWithoutDatabase(path: path, log: log)
        }
        return true
    }

    /// Makes a store under another name first: whoever is killed here leaves no half of one.
    private static func create(_ path: String, directory: String, _ schema: Schema) throws {
        let new = "\(path).new"
        for name in [new, "\(new)-journal"] { try Files.remove(name) }
        // SQLite makes files 0644, and its others like the database.
        try Files.writeAtomically(new, [], mode: 0o600)
        do {
            let database = try Database(path: new, mayCreate: false)
            // The first two can only be chosen before the first table is made.
            try database.execute(
                """
                PRAGMA page_size = \(StoreTuning.pageBytes);
                PRAGMA auto_vacuum = INCREMENTAL;
                BEGIN IMMEDIATE;
                PRAGMA application_id = \(Schema.applicationID);
                PRAGMA user_version = \(schema.version);
                \(schema.creation)
                INSERT INTO meta (name, value) VALUES
                    ('secret', \(Int64(bitPattern: Entropy.seed()))),
                    ('secret2', \(Int64(bitPattern: Entropy.seed())));
                COMMIT;
                """)
        }
        try Files.sync(new)
        try Files.rename(new, to: path)
        try Files.syncDirectory(directory)
    }

    /// Settings of the connection. None of them changes the file.
    private static func configure(_ database: Database) throws(DatabaseError) {
        let result = CSQLite_harden(database.handle)
        guard result == SQLITE_OK else {
            throw DatabaseError(handle: database.handle, code: result)
        }
        // FULL: a commit is synced before it returns. The automatic checkpoint would come in the
        // middle of a commit that somebody waits for. secure_delete as far as it costs no writes:
        // payloads may hold secrets.
        try database.execute(
            """
            PRAGMA busy_timeout = \(StoreTuning.busyMs);
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = 0;
            PRAGMA cache_size = -\(StoreTuning.cacheKibibytes);
            PRAGMA temp_store = MEMORY;
            PRAGMA secure_delete = FAST;
            """)
    }

    /// Refuses what is not ours. Reading the header changes nothing.
    private static func check(
        _ database: Database, _ path: String, _ schema: Schema
    ) throws {
        let applicationID = try database.integer("PRAGMA application_id")
        guard applicationID == Schema.applicationID else {
            throw StoreOpenError.foreign(path: path, applicationID: applicationID)
        }
        let found = try database.integer("PRAGMA user_version")
        if found > schema.version {
            throw StoreOpenError.newerSchema(path: path, found: found, known: schema.version)
        }
        if schema.steps(from: found) == nil {
            throw StoreOpenError.unknownSchema(path: path, found: found, known: schema.version)
        }
    }

    private static func startLog(_ database: Database, _ path: String) throws {
        let mode = try database.text("PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw StoreOpenError.failed(
                path: path, detail: "its file system allows no write-ahead log (mode \(mode))")
        }
        // A log that is overwritten in place syncs faster than one that grows anew.
        let result = CSQLite_keep_log(database.handle)
        guard result == SQLITE_OK else {
            throw DatabaseError(handle: database.handle, code: result)
        }
    }

    private static func explained(_ error: DatabaseError, _ path: String) -> StoreOpenError {
        switch error.primaryCode {
        case SQLITE_NOTADB: return .notADatabase(path: path)
        case SQLITE_CORRUPT: return .damaged(path: path, detail: error.message)
        case SQLITE_BUSY: return .held(path: path, process: nil)
        case _: break
        }
        if error.systemCode != 0 {
            return .system(SystemError(code: error.systemCode, operation: "open \(path)"))
        }
        return .failed(path: path, detail: error.message)
    }
}
