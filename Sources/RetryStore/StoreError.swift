import CSQLite
import SystemKit

/// Why something could not be written or read while the store was open.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What somebody must look after.
    @frozen
    package enum Kind: Sendable {
        /// No room on the file system, or the user's share of it is used up.
        case full
        /// The file system, the directory or the file may not be written.
        case readOnly
        /// The disk or its driver reported an error.
        case inputOutput
        /// The file holds what this program never writes.
        case corrupt
        /// Anything else SQLite may say.
        case other
    }

    package var kind: Kind
    /// Extended result code of SQLite; 0 for `malformed`.
    package var code: Int32
    /// errno; 0 where no system call failed.
    package var systemCode: Int32
    private var detail: String

    package var description: String {
        let reason =
            switch kind {
            case .full: "there is no space left for it"
            case .readOnly: "it may not be written"
            case .inputOutput: "the disk reported an error"
            case .corrupt: "its content is damaged"
            case .other: "SQLite refused"
            }
        return "store: \(reason) (\(detail))"
    }

    init(_ error: DatabaseError) {
        let system = SystemError(code: error.systemCode, operation: "")
        kind =
            switch error.primaryCode {
            // SQLite has no words of its own for these where it met them at a call other than
            // write(2).
            case SQLITE_IOERR where system.isNoSpace: .full
            case SQLITE_IOERR where system.isReadOnly || system.isPermission: .readOnly
            case SQLITE_FULL: .full
            case SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN, SQLITE_AUTH: .readOnly
            case SQLITE_IOERR: .inputOutput
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_MISMATCH, SQLITE_CONSTRAINT: .corrupt
            case _: .other
            }
        code = error.code
        systemCode = error.systemCode
        detail = error.systemCode == 0 ? error.message : "\(error.message): \(system.reason)"
    }

    private init(kind: Kind, detail: String) {
        self.kind = kind
        code = 0
        systemCode = 0
        self.detail = detail
    }

    /// A row does not have the form this program writes.
    static func malformed(_ place: String) -> StoreError {
        StoreError(kind: .corrupt, detail: "\(place) is malformed")
    }
}
