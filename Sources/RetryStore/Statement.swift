import CSQLite

/// A prepared statement. Bound bytes are not copied: they must stay where they are until `reset`.
final class Statement {
    private let handle: OpaquePointer
    /// Kept so that the connection outlives its statements.
    private let database: Database

    init(_ database: Database, _ sql: String) throws(DatabaseError) {
        var prepared: OpaquePointer?
        let result = sqlite3_prepare_v3(
            database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard result == SQLITE_OK, let prepared else {
            throw DatabaseError(handle: database.handle, code: result)
        }
        handle = prepared
        self.database = database
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Parameters count from 1, as in SQL.
    func bind(_ value: Int64, at parameter: Int32) {
        // These can only fail for a parameter that is not there or a running statement.
        let result = sqlite3_bind_int64(handle, parameter, value)
        precondition(result == SQLITE_OK, "bind to a wrong parameter")
    }

    func bind(_ value: Int64?, at parameter: Int32) {
        guard let value else {
            let result = sqlite3_bind_null(handle, parameter)
            return precondition(result == SQLITE_OK, "bind to a wrong parameter")
        }
        bind(value, at: parameter)
    }

    /// Binds a blob, which must not move before `reset` (SQLITE_STATIC).
    func bind(blob: UnsafeRawBufferPointer, at parameter: Int32) {
        precondition(blob.baseAddress != nil, "a blob is never nothing")
        let result = sqlite3_bind_blob64(
            handle, parameter, blob.baseAddress, UInt64(blob.count), nil)
        precondition(result == SQLITE_OK, "bind to a wrong parameter")
    }

    /// Binds text, which must not move before `reset` (SQLITE_STATIC); nil: NULL.
    func bind(text: UnsafeRawBufferPointer?, at parameter: Int32) {
        guard let text, let base = text.baseAddress else {
            let result = sqlite3_bind_null(handle, parameter)
            return precondition(result == SQLITE_OK, "bind to a wrong parameter")
        }
        let result = sqlite3_bind_text64(
            handle, parameter, base.assumingMemoryBound(to: CChar.self), UInt64(text.count), nil,
            UInt8(SQLITE_UTF8))
        precondition(result == SQLITE_OK, "bind to a wrong parameter")
    }

    /// Goes to the next row; false: there is none.
    func step() throws(DatabaseError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let error = DatabaseError(handle: database.handle, code: code)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Makes it ready to run again; parameters stay bound.
    func reset() {
        // The answer repeats that of the last step.
        sqlite3_reset(handle)
    }

    /// Runs a statement that gives no rows.
    func run() throws(DatabaseError) {
        let hasRow = try step()
        precondition(!hasRow, "a statement run for its effect gave a row")
        reset()
    }

    // MARK: The present row

    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// Valid until the next `step` or `reset`.
    func blob(_ column: Int32) -> UnsafeRawBufferPointer {
        // "sqlite3_column_bytes after sqlite3_column_blob" is the safe order (c3ref/column_blob).
        let base = sqlite3_column_blob(handle, column)
        let count = sqlite3_column_bytes(handle, column)
        return UnsafeRawBufferPointer(start: base, count: Int(count))
    }

    func text(_ column: Int32) -> String {
        String(decoding: blob(column), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? {
        isNull(column) ? nil : text(column)
    }

    func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : integer(column)
    }
}
