import RetryCore
import RetryModel
import RetryStore
import SystemKit

/// Room on the disk that submits leave free: ending, reporting and releasing operations must be
/// stored too, and that is what makes room again.
struct DiskRoom {
    private var free: Int64 = .max
    private var reserve: Int64 = 0
    private var lookedAt = Instant(usec: .min)
    /// What was handed to the store since the last look: it may be on the disk twice, in SQLite's
    /// log and in the database.
    private var handedOver: Int64 = 0

    mutating func handOver(_ bytes: Int) { handedOver += Int64(bytes) * 2 }

    /// Why no submit is taken; nil: there is room.
    ///
    /// - Parameter filling: Bytes of the batch that fills.
    mutating func refusal(_ path: String, filling: Int, at now: Instant) -> String? {
        // Statvfs costs a microsecond, and the disk is not filled in less than that.
        if lookedAt == Instant(usec: .min) || now - lookedAt >= .milliseconds(200) {
            look(path, at: now)
        }
        if free - handedOver - Int64(filling) * 2 >= reserve { return nil }
        return "the disk of \(path) has \(max(0, free - handedOver) >> 20) MiB left, and "
            + "\(reserve >> 20) MiB are kept for ending and reporting operations; make room on it"
    }

    private mutating func look(_ path: String, at now: Instant) {
        lookedAt = now
        handedOver = 0
        // What cannot be asked does not bound: a write tells the truth.
        guard let space = try? Files.space(path) else {
            free = .max
            return
        }
        free = space.free
        // Of a small disk a part.
        reserve = min(Limits.diskReserveBytes, space.total / 8)
    }
}

extension Engine {
    /// Refuses work that fills the disk while there is little room on it. Admins are excepted.
    func requireDisk(_ connection: Connection) throws(CallFailure) {
        if connection.caller.isAdmin { return }
        let filling = filling.byteCount
        if let reason = diskRoom.refusal(identity.storePath, filling: filling, at: now.instant) {
            throw .refused(.storeUnavailable(reason), nil)
        }
    }
}
