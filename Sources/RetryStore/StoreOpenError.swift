package import SystemKit

/// Why a store could not be opened. Nothing was changed in any of these cases.
package enum StoreOpenError: Error, Hashable, Sendable, CustomStringConvertible {
    case directoryMissing(path: String)
    case notADirectory(path: String)
    /// The directory or a file in it cannot be reached or written.
    case system(SystemError)
    /// Another process has it.
    case held(path: String, process: Int32?)
    /// The file is there and is not a database.
    case notADatabase(path: String)
    /// A database, and another program's.
    case foreign(path: String, applicationID: Int64)
    case newerSchema(path: String, found: Int64, known: Int64)
    /// A version this program knows no way forward from.
    case unknownSchema(path: String, found: Int64, known: Int64)
    /// The database is gone and its log is not.
    case logWithoutDatabase(path: String, log: String)
    case damaged(path: String, detail: String)
    case backupFailed(path: String, detail: String)
    case migrationFailed(path: String, to: Int64, detail: String, backup: String)
    /// SQLite could not open or make it for another reason.
    case failed(path: String, detail: String)

    package var description: String {
        switch self {
        case .directoryMissing(let path):
            "state directory \(path) does not exist; make it (mkdir -m 0700) or name another "
                + "with --state"
        case .notADirectory(let path):
            "state directory \(path) is not a directory; name another with --state"
        case .system(let error):
            "\(error); the daemon needs to read and write its state directory"
        case .held(let path, let process):
            LockFileError.held(path: path, process: process).description
        case .notADatabase(let path):
            "\(path) is not a database and was left as it is; move it away to start with an "
                + "empty store, or restore a backup in its place"
        case .foreign(let path, let applicationID):
            "\(path) belongs to another program (application_id \(applicationID)) and was left "
                + "as it is; move it away or name another directory with --state"
        case .newerSchema(let path, let found, let known):
            "\(path) has schema \(found), and this retryd knows up to \(known); install a "
                + "newer retryd, or restore the backup made before the upgrade"
        case .unknownSchema(let path, let found, let known):
            "\(path) has schema \(found), from which this retryd (schema \(known)) knows no "
                + "way forward; start it once with an older retryd"
        case .logWithoutDatabase(let path, let log):
            "\(path) is missing or empty, but its log \(log) is there; restore both from one "
                + "backup, or move the log away to start with an empty store"
        case .damaged(let path, let detail):
            "\(path) is damaged (\(detail)) and was left as it is; restore a backup in its "
                + "place, or save what can be read with: sqlite3 \(path) .recover"
        case .backupFailed(let path, let detail):
            "\(path) needs a newer schema, and the backup before it failed (\(detail)); make "
                + "room or repair the directory, then start again"
        case .migrationFailed(let path, let to, let detail, let backup):
            "\(path) could not be brought to schema \(to) (\(detail)) and is as before; the "
                + "backup is \(backup)"
        case .failed(let path, let detail):
            "\(path) cannot be opened: \(detail)"
        }
    }
}
