import RetryCore
import RetryModel
import SystemKit

/// The processes that hold leases: found by their connection, watched until they end.
extension Engine {
    /// The process behind a connection, watched from its first lease on. Nil when it has ended.
    func holder(of connection: Connection) -> LeaseHolder? {
        if let known = connection.holder { return known }
        let peer = connection.peer
        let holder = LeaseHolder(
            user: peer.user, process: peer.process,
            startTicks: peer.process > 0 ? ProcessIdentity.startTicks(peer.process) : 0)
        // A process of another namespace has no number here: only its connection is watched.
        if peer.process > 0, !processes.isWatched(holder) {
            guard
                let descriptor = try? PeerCredentials.processDescriptor(
                    of: connection.socket.rawValue)
            else { return nil }
            processes.watch(holder, descriptor)
        }
        connection.holder = holder
        connectionsOfHolder[holder, default: 0] += 1
        return holder
    }

    /// A process that a lease is handed to: it must run and belong to the caller's user.
    func holder(ofProcess process: Int32, for connection: Connection) -> LeaseHolder? {
        let holder = LeaseHolder(
            user: connection.peer.user, process: process,
            startTicks: ProcessIdentity.startTicks(process))
        if processes.isWatched(holder) { return holder }
        guard let descriptor = try? ProcessIdentity.open(process),
            connection.caller.isAdmin || ProcessIdentity.user(of: process) == connection.peer.user
        else { return nil }
        processes.watch(holder, descriptor)
        return holder
    }

    /// After a start: leases of processes that have ended meanwhile are lost at once.
    func watchRestoredHolders() {
        for holder in scheduler.holders {
            let identity = ProcessIdentity(process: holder.process, startTicks: holder.startTicks)
            if holder.process > 0, identity.isAlive,
                let descriptor = try? ProcessIdentity.open(holder.process)
            {
                processes.watch(holder, descriptor)
            } else if holder.process > 0 {
                holderDied(holder)
            }
        }
    }

    func holderDied(_ holder: LeaseHolder) {
        processes.forget(holder)
        let count = scheduler.holderDied(holder, now: now, into: &effects)
        carryOutEffects()
        if count > 0 { journal.workerDied(holder, leases: count) }
    }

    /// A connection of that process closed.
    func holderLeft(_ holder: LeaseHolder) {
        let left = (connectionsOfHolder[holder] ?? 1) - 1
        connectionsOfHolder[holder] = left > 0 ? left : nil
        if left <= 0 { scheduler.holderDisconnected(holder, now: now) }
    }
}
