import CSQLite

/// One SQLite connection.
///
/// It is opened with SQLITE_OPEN_NOMUTEX, for which the manual asks "that no single database
/// connection be used simultaneously in two or more threads" (threadsafe.html, multi-thread
/// mode). The class is not Sendable, so it stays on the thread that has it; `Store` hands it to
/// the store thread and takes it back only after that thread has ended.
final class Database {
    let handle: OpaquePointer

    /// Sets up SQLite once for the process.
    private static let setUp: Void = {
        // Misuse means that somebody in this process used SQLite earlier: statistics then stay.
        _ = CSQLite_no_memory_statistics()
    }()

    /// - Parameter path: A file; it is made when `mayCreate` and it does not exist.
    init(path: String, mayCreate: Bool) throws(DatabaseError) {
        _ = Database.setUp
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
            | (mayCreate ? SQLITE_OPEN_CREATE : 0)
        let result = sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened else {
            throw DatabaseError(code: SQLITE_NOMEM, systemCode: 0, message: "out of memory")
        }
        guard result == SQLITE_OK else {
            let error = DatabaseError(handle: opened, code: result)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
    }

    deinit {
        // Statements are finalized by their owners; _v2 waits for any that are not yet.
        sqlite3_close_v2(handle)
    }

    /// Runs statements that give no rows, or whose rows do not matter.
    func execute(_ sql: String) throws(DatabaseError) {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw DatabaseError(handle: handle, code: result) }
    }

    func prepare(_ sql: String) throws(DatabaseError) -> Statement {
        try Statement(self, sql)
    }

    /// The first column of the first row.
    func integer(_ sql: String) throws(DatabaseError) -> Int64 {
        let statement = try prepare(sql)
        guard try statement.step() else { return 0 }
        return statement.integer(0)
    }

    /// The first column of the first row.
    func text(_ sql: String) throws(DatabaseError) -> String {
        let statement = try prepare(sql)
        guard try statement.step() else { return "" }
        return statement.text(0)
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool {
        sqlite3_get_autocommit(handle) == 0
    }

    /// Undoes the open transaction. After some failures SQLite has done so by itself.
    func rollBack() {
        guard isInTransaction else { return }
        // It can only fail by telling again of the failure that led here; the transaction is
        // over in any case (lang_transaction.html, section 3.1).
        _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }
}

extension DatabaseError {
    init(handle: OpaquePointer, code: Int32) {
        self.init(
            code: code, systemCode: sqlite3_system_errno(handle),
            message: String(cString: sqlite3_errmsg(handle)))
    }
}
