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
            connection.leaseStream = LeaseStream(request: request, out: grants.count)
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
        for queue in request.queues where grants.count < count {
            grants += scheduler.leaseAsked(
                queue: queue, count: count - grants.count, holder: holder,
                visibility: request.visibility,
                mayRun: { owner in mayRun(queue: queue, owner: owner, connection.caller) },
                now: now, into: &effects)
        }
        carryOutEffects()
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
        guard let address = keepPlace(connection) else { return }
        var writer = JSONWriter()
        writer.beginReply()
        let reply = OperationsReply(address, writer, continues: continues)
        answer(grants, in: reply)
    }

    /// Writes `operations` and ends the reply when all of them are read.
    func answer(_ grants: [Grant], in reply: OperationsReply) {
        reply.writer.name("operations")
        reply.writer.beginArray()
        if grants.isEmpty { return finish(reply) }
        for (number, grant) in grants.enumerated() {
            let isLast = number == grants.count - 1
            let words = words
            let hasLaterFailure = grant.attempt > 2
            read(.body, of: grant.record.id) { [self] result in
                reply.writer.leased(grant, result, words, withFailure: !hasLaterFailure)
                if !hasLaterFailure {
                    reply.writer.endObject()
                    if isLast { finish(reply) }
                }
            }
            guard hasLaterFailure else { continue }
            read(.newestFailure, of: grant.record.id) { [self] result in
                if case .failure(let document) = result.content {
                    reply.writer.document("failure", document)
                } else {
                    reply.writer.document("failure", BodyParts.nothing)
                }
                reply.writer.endObject()
                if isLast { finish(reply) }
            }
        }
    }

    private func finish(_ reply: OperationsReply) {
        reply.writer.endArray()
        reply.writer.endReply(continues: reply.continues)
        guard let address = reply.address else { return }
        fill(address, with: reply.writer)
    }

    // MARK: Waiting workers

    /// Serves the workers that wait for queues in which something became ready.
    func serveWaiters() {
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
        if var stream = connection.leaseStream {
            let room = stream.request.max - stream.out
            guard room > 0, !connection.isThrottled else { return }
            let grants = grants(stream.request, count: room, connection)
            if grants.isEmpty { return }
            stream.out += grants.count
            for grant in grants { streamOf[grant.record.id] = waiter.connection }
            connection.leaseStream = stream
            answerLease(grants, connection, continues: true)
        } else {
            let grants = grants(waiter.request, count: waiter.request.max, connection)
            if grants.isEmpty { return }
            waiters.remove(waiter.connection)
            answerLease(grants, connection, continues: false)
            resume(connection)
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
        guard let token = streamOf.removeValue(forKey: id), let connection = connection(token),
            var stream = connection.leaseStream
        else { return }
        stream.out -= 1
        connection.leaseStream = stream
        for name in stream.request.queues {
            guard let queue = scheduler.queueIndex(named: name) else { continue }
            if scheduler.readyCount(queue) > 0, !readyQueues.contains(queue) {
                readyQueues.append(queue)
            }
        }
    }
}

/// A reply that ends with operations whose bodies are read after it was begun.
final class OperationsReply {
    /// Nil for a oneway call.
    let address: ReplyAddress?
    var writer: JSONWriter
    let continues: Bool

    init(_ address: ReplyAddress?, _ writer: JSONWriter, continues: Bool = false) {
        self.address = address
        self.writer = writer
        self.continues = continues
    }
}
