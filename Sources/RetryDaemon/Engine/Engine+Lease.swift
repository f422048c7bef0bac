import JSON
import RetryConfig
import RetryCore
import RetryModel
import RetryStore
import SystemKit
import Varlink

extension Engine {
    func lease(_ call: Call, _ connection: Connection) throws(CallFailure) {
        let request = try CallFailure.reading { () throws(ServiceError) in
            try LeaseParameters(call)
        }
        try requireStore()
        guard !call.oneway else {
            throw .service(.invalidParameter("queues", reason: "a lease needs an answer"))
        }
        guard let token = connection.token else { return }
        let grants = grants(request, count: request.max, connection)
        if call.more {
            connection.pause = .stream
            connection.leaseStream = LeaseStream(
                request: request, out: Set(grants.map(\.record.id)))
            for grant in grants { streamOf[grant.record.id] = token }
            if !grants.isEmpty { answerLease(grants, connection, continues: true) }
            waiters.append(.init(connection: token, request: request, until: nil))
        } else if grants.isEmpty, request.wait > .zero {
            connection.pause = .waiting
            waiters.append(
                .init(connection: token, request: request, until: now.instant + request.wait))
        } else {
            answerLease(grants, connection, continues: false)
        }
    }

    /// Attempts for a worker, from its queues in the order it named them.
    func grants(
        _ request: LeaseParameters, count: Int, _ connection: Connection
    ) -> [Grant] {
        guard let holder = holder(of: connection) else { return [] }
        var grants: [Grant] = []
        // One is always given: an operation may keep more than is left.
        var room = max(1, answerRoom(connection))
        for queue in request.queues where grants.count < count && room > 0 {
            let found = scheduler.leaseAsked(
                queue: queue, count: count - grants.count, holder: holder,
                visibility: request.visibility, bytesMax: room,
                mayRun: { owner in mayRun(queue: queue, owner: owner, connection.caller) },
                now: now, into: &effects)
            for grant in found { room -= answerBytes(grant.record) }
            grants += found
        }
        carryOutEffects()
        for grant in grants { lateness.observe(now.instant - grant.wasDue) }
        return grants
    }

    /// Whether a worker may have an owner's operations: its own, those of a queue whose worker it
    /// is, and, for root and the daemon's user, those of the reserved queues.
    private func mayRun(queue: String, owner: UserID, _ caller: Caller) -> Bool {
        if caller.user == owner { return true }
        if settings.configuration.isWorker(caller.user, ofQueue: queue) { return true }
        let isTrusted = caller.user == 0 || caller.user == identity.user
        return isTrusted && Kind(name: queue)?.reservedQueue != nil
    }

    /// Answers a Lease. Payloads and failures are read behind the batch that stores the leases.
    private func answerLease(_ grants: [Grant], _ connection: Connection, continues: Bool) {
        guard let address = keepPlace(connection, reserving: answerBytes(grants)) else { return }
        let reply = makeReply(address, continues: continues)
        reply.writer.beginReply()
        answer(grants, in: reply)
    }

    func answerBytes(_ grants: [Grant]) -> Int {
        grants.reduce(0) { $0 + answerBytes($1.record) }
    }

    /// Writes `operations` and ends the reply when all of them are read.
    func answer(_ grants: [Grant], in reply: OperationsReply) {
        reply.writer.name("operations")
        reply.writer.beginArray()
        if grants.isEmpty { return finish(reply, grants) }
        let now = now
        for number in grants.indices {
            // Before anybody had a lease of it, the only failure is the told one, which lies with
            // the payload. What is decided without a lease is that one again.
            let hasLaterFailure = grants[number].record.token.rawValue != 1
            let id = grants[number].record.id
            read(.body, of: id) { [self] result in
                let body = reply.body(result)
                reply.writer.leased(grants[number], body, now)
                if hasLaterFailure { return }
                reply.writer.lastFailure(body.failure, dpopNonces)
                ended(number, of: grants, in: reply)
            }
            guard hasLaterFailure else { continue }
            read(.newestFailure, of: id) { [self] result in
                reply.writer.lastFailure(reply.newestFailure(result), dpopNonces)
                ended(number, of: grants, in: reply)
            }
        }
    }

    private func ended(_ number: Int, of grants: [Grant], in reply: OperationsReply) {
        reply.writer.endObject()
        if number == grants.count - 1 { finish(reply, grants) }
    }

    private func finish(_ reply: OperationsReply, _ grants: [Grant]) {
        reply.writer.endArray()
        reply.writer.endReply(continues: reply.continues)
        fill(reply)
        if reply.failure != nil { takeBack(grants) }
        recycle(reply)
    }

    /// Attempts that could not be handed out because their content cannot be read: they are
    /// offered again a little later.
    private func takeBack(_ grants: [Grant]) {
        guard storeState == .serving else { return }
        for grant in grants {
            // One that was cancelled or replaced meanwhile is gone already.
            _ = try? scheduler.attemptReleased(
                grant.record.id, token: grant.record.token, delay: .seconds(10),
                by: Caller(user: identity.user, isAdmin: true), now: now, into: &effects)
        }
        carryOutEffects()
    }

    // MARK: Waiting workers

    /// Serves the workers that wait for queues in which something became ready.
    func serveWaiters() {
        // A lease must be stored.
        guard storeState == .serving else { return }
        while let queue = readyQueues.popLast() {
            let name = scheduler.queueName(queue)
            for waiter in waiters.waiting(forQueue: name) {
                guard scheduler.readyCount(queue) > 0 else { break }
                serve(waiter)
            }
        }
    }

    private func serve(_ waiter: LeaseWaiters.Waiter) {
        guard let connection = connection(waiter.connection) else { return }
        if isGone(connection) { return close(connection) }
        if answerRoom(connection) <= 0 { return holdUp(connection) }
        if let stream = connection.leaseStream {
            let room = stream.request.max - stream.out.count
            guard room > 0, !connection.isThrottled else { return }
            let grants = grants(stream.request, count: room, connection)
            if grants.isEmpty { return }
            for grant in grants {
                connection.leaseStream?.out.insert(grant.record.id)
                streamOf[grant.record.id] = waiter.connection
            }
            answerLease(grants, connection, continues: true)
        } else {
            let grants = grants(waiter.request, count: waiter.request.max, connection)
            if grants.isEmpty { return }
            waiters.remove(waiter.connection)
            answerLease(grants, connection, continues: false)
            resume(connection)
        }
    }

    /// Looks for all that wait whether there is something to run by now.
    func wakeWaiters() {
        for waiter in waiters.all { wake(for: waiter.request.queues) }
    }

    func wake(for queues: [String]) {
        for name in queues {
            guard let queue = scheduler.queueIndex(named: name) else { continue }
            if scheduler.readyCount(queue) > 0, !readyQueues.contains(queue) {
                readyQueues.append(queue)
            }
        }
    }

    /// Answers blocked Leases whose time is up with nothing.
    func endWaits() {
        for waiter in waiters.takeEnded(by: now.instant) {
            guard let connection = connection(waiter.connection) else { continue }
            answerLease([], connection, continues: false)
            resume(connection)
        }
    }

    /// An attempt that a stream handed out has ended: there is room for another one.
    func leftStream(_ id: OperationID) {
        // Mostly there are no streams, and every report and release asks.
        guard !streamOf.isEmpty, let token = streamOf.removeValue(forKey: id),
            let connection = connection(token), let queues = connection.leaseStream?.request.queues
        else { return }
        connection.leaseStream?.out.remove(id)
        wake(for: queues)
    }
}
