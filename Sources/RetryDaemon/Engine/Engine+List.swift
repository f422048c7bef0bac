import JSON
import RetryCore
import RetryModel
import RetryStore
import Varlink

/// Lists: a filter over what is in memory, then page by page with what is on disk.
extension Engine {
    func list(_ call: Call, _ connection: Connection) throws(CallFailure) {
        var filter = FilterParameters()
        var limit = call.more ? Int.max : Limits.listDefault
        var cursor = OperationID(rawValue: 0)
        try CallFailure.reading { () throws(ServiceError) in
            for member in call.members {
                switch member.name {
                case "filter": filter = try FilterParameters(try Decode.object(member))
                case "limit":
                    limit = try Decode.integer(member, 1...10_000_000).map { Int($0) } ?? limit
                case "cursor": cursor = try Decode.operationID(member) ?? cursor
                default: throw Decode.unknown(member)
                }
            }
        }
        guard !call.oneway, let address = keepPlace(connection) else { return }
        let run = ListRun(
            Scan(filter, for: connection.caller, after: cursor), limit: limit,
            isStream: call.more, own: !connection.caller.isAdmin)
        connection.pause = .running
        connection.workBytes = Limits.outputBytesMax
        collect(run.scan) { [self] in beginAnswer(run, address) }
    }

    private func beginAnswer(_ run: ListRun, _ address: ReplyAddress) {
        let reply = OperationsReply(address, JSONWriter())
        reply.writer.beginReply()
        reply.writer.name("operations")
        reply.writer.beginArray()
        addPage(run, reply)
    }

    private func addPage(_ run: ListRun, _ reply: OperationsReply) {
        for id in run.scan.take(min(Limits.listPageMax, run.limit - run.listed)) {
            run.last = id
            read(.attributes, of: id) { [self] result in write(id, result, run, reply) }
        }
        // Read behind the page: the page is complete then.
        afterwards { [self] in endPage(run, reply) }
    }

    private func write(
        _ id: OperationID, _ result: ReadResult, _ run: ListRun, _ reply: OperationsReply
    ) {
        // It may have been removed since the list was made.
        guard let view = scheduler.view(id, now: now) else { return }
        let parts = reply.body(result)
        if let key = run.scan.filter.key, !parts.key.elementsEqual(key.utf8) { return }
        run.listed += 1
        reply.writer.summary(view, parts, words)
    }

    private func endPage(_ run: ListRun, _ reply: OperationsReply) {
        guard let address = reply.address, let connection = connection(address.connection) else {
            return
        }
        let isComplete = run.scan.isEmpty || run.listed >= run.limit
        let isLong = reply.writer.count >= Limits.outputBytesMax
        // Without `more` all pages are one answer, up to a bound.
        if !isComplete, !isLong, !run.isStream, reply.failure == nil {
            return addPage(run, reply)
        }
        let goesOn = run.isStream && !isComplete && reply.failure == nil && !connection.hasHungUp
        reply.writer.endArray()
        reply.writer.member("cursor", run.scan.isEmpty || goesOn ? nil : run.last.rawValue)
        reply.writer.member("own", run.own)
        reply.writer.endReply(continues: goesOn)
        // A page shows what is in memory now, and that may have yet to be stored.
        fill(reply, after: batchOfAnswers)
        guard goesOn else { return resume(connection) }
        whenRead(connection) { [self] in
            guard let address = keepPlace(connection) else { return }
            beginAnswer(run, address)
        }
    }
}

/// A list that is being told.
final class ListRun {
    let scan: Scan
    let limit: Int
    let isStream: Bool
    /// Only the caller's own operations are shown.
    let own: Bool
    var listed = 0
    /// The last operation looked at.
    var last = OperationID(rawValue: 0)

    init(_ scan: Scan, limit: Int, isStream: Bool, own: Bool) {
        self.scan = scan
        self.limit = limit
        self.isStream = isStream
        self.own = own
    }
}
