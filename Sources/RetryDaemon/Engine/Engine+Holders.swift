import RetryCore
import RetryModel
import SystemKit

/// The processes that hold leases, found by their connection, and those while which levels stand:
/// watched until they end.
extension Engine {
    /// The process behind a connection, watched from its first lease on. Nil when it has ended.
    func holder(of connection: Connection) -> LeaseHolder? {
        if let known = connection.holder { return known }
        let peer = connection.peer
        let holder = LeaseHolder(
            user: peer.user, process: peer.process,
            startTicks: peer.process > 0 ? ProcessIdentity.startTicks(peer.process) : 0)
        // A process of another namespace has no number here: only its connections are watched.
        if peer.process > 0, !processes.isWatched(holder) {
            do throws(SystemError) {
                let socket = connection.socket.rawValue
                guard let descriptor = try PeerCredentials.processDescriptor(of: socket) else {
                    return nil
                }
                processes.watch(holder, descriptor)
            } catch {
                // No descriptor is left: the lease still ends by its visibility time.
                journal.warning("process \(peer.process) is not watched: \(error)")
            }
        }
        connection.holder = holder
        holderOfProcess[connection.peerProcess] = holder
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

    /// After a start: what processes held that have ended meanwhile is lost at once.
    func watchRestoredProcesses() {
        let holders = scheduler.holders + scheduler.levelsOfProcesses.map(\.holder)
        for holder in holders where !processes.isWatched(holder) {
            let identity = ProcessIdentity(process: holder.process, startTicks: holder.startTicks)
            if holder.process > 0, identity.isAlive,
                let descriptor = try? ProcessIdentity.open(holder.process)
            {
                processes.watch(holder, descriptor)
            } else if holder.process > 0 {
                processEnded(holder)
            }
        }
    }

    func processEnded(_ holder: LeaseHolder) {
        holderDied(holder)
        levelsEnded(of: holder)
    }

    private func holderDied(_ holder: LeaseHolder) {
        processes.forget(holder)
        holderOfProcess[PeerProcess(user: holder.user, process: holder.process)] = nil
        // Before its operations are offered again.
        dropConnections(of: holder)
        // Found again by `watchRestoredHolders` once the loss can be stored.
        guard storeState == .serving else { return }
        let count = scheduler.holderDied(holder, now: now, into: &effects)
        carryOutEffects()
        if count > 0 { journal.workerDied(holder, leases: count) }
    }

    /// A connection that waits for work of a process that has ended is closed. Others go on: what
    /// was sent before is carried out, and a child may have inherited them.
    private func dropConnections(of holder: LeaseHolder) {
        for case let connection? in connections where connection.holder == holder {
            connection.holder = nil
            if waiters.waiter(token: connection.token) != nil { close(connection) }
        }
    }

    /// Whether nobody is there to take what a waiting connection would be given. The loop may not
    /// have come to the news yet.
    func isGone(_ connection: Connection) -> Bool {
        if let holder = connection.holder, processes.hasEnded(holder) { return true }
        return Syscalls.isHungUp(connection.socket.rawValue)
    }

    /// A connection of that process closed. With the last one begins the grace in which it may
    /// come back.
    func leaveProcess(_ process: PeerProcess) {
        let left = (connectionsOfProcess[process] ?? 1) - 1
        connectionsOfProcess[process] = left > 0 ? left : nil
        if left <= 0, let holder = holderOfProcess.removeValue(forKey: process) {
            scheduler.holderDisconnected(holder, now: now)
        }
    }
}
