import CSystemd
import Glibc

/// The host's journal, sd-journal(3).
package enum Journal {
    /// Where journald listens; without it sd_journal_sendv(3) drops entries without a word.
    static let socketPath = "/run/systemd/journal/socket"

    package static var isThere: Bool {
        access(socketPath, W_OK) == 0
    }

    /// A descriptor for another program's standard output and error: each line becomes an entry.
    /// Close-on-exec, so whoever starts the program duplicates it into place.
    ///
    /// - Parameters:
    ///   - identifier: SYSLOG_IDENTIFIER= of the entries.
    ///   - priority: of lines without a "<N>" prefix.
    package static func streamFD(
        identifier: String, priority: JournalPriority
    ) throws(SystemError) -> OwnedFD {
        let descriptor = sd_journal_stream_fd(identifier, Int32(priority.rawValue), 1)
        if descriptor < 0 {
            throw Syscalls.libraryFailure(descriptor, "open a stream to the journal")
        }
        return OwnedFD(adopting: descriptor)
    }

    /// Sends an entry. Blocks while journald does not read.
    static func send(_ entry: JournalEntry) throws(SystemError) {
        let result = entry.bytes.withUnsafeBytes { bytes in
            var start = 0
            let vectors = entry.fieldEnds.map { end in
                defer { start = end }
                // iovec has no read-only form; sendmsg(2) only reads.
                let field = UnsafeMutableRawBufferPointer(
                    mutating: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                return iovec(iov_base: field.baseAddress, iov_len: field.count)
            }
            return sd_journal_sendv(vectors, Int32(vectors.count))
        }
        if result < 0 { throw Syscalls.libraryFailure(result, "write to the journal") }
    }
}
