import SystemKit

/// Gives a new log the size it will have anyway, in small steps. While a log grows, each commit
/// must also write where its new part lies: a single one took 115 µs instead of 78, measured.
///
/// It may go on beside commits. Zeros are added behind the end of the file, wherever that is, and
/// SQLite writes where its log ends, which is never behind it. To whoever reads the log after a
/// crash zeros are no valid part of it (fileformat2.html, section 4.1).
struct LogPreparation {
    private let path: String
    private(set) var isDone: Bool

    init(path: String) {
        self.path = path
        isDone = false
    }

    /// Adds some zeros.
    mutating func step() {
        do {
            let size = try Files.status(path)?.size ?? 0
            let isRoomy = try Files.freeBytes(path) >= StoreTuning.logBytesPrepared * 10
            if size >= StoreTuning.logBytesPrepared || !isRoomy {
                isDone = true
            } else {
                try Files.appendZeros(path, count: StoreTuning.logBytesPerStep)
            }
        } catch {
            // A log can also grow by itself. If something is wrong with the disk, a commit tells.
            isDone = true
        }
    }
}
