import JSON
import RetryCore
import RetryModel
import RetryStore
import Varlink

/// Lists: a filter over what is in memory, then page by page with what is on disk.
extension Engine {
    /// The operations a call means: those the caller may see that match the filter, by id.
    ///
    /// A filter with a key also matches other keys of the same hash: the reader compares.
    func ids(_ filter: FilterParameters, for caller: Caller) -> [OperationID] {
        // Lanes are few; each is looked at once.
        var matches: [LaneIndex: Bool] = [:]
        return scheduler.ids { row in
            let laneMatches =
                matches[row.lane]
                ?? {
                    let lane = scheduler.lane(row.lane)
                    let isMatch =
                        caller.mayAct(onOperationsOf: lane.owner) && filter.matches(lane: lane)
                    matches[row.lane] = isMatch
                    return isMatch
                }()
            guard laneMatches else { return false }
            if let states = filter.states, !states.contains(row.state) { return false }
            if let rule = filter.rule, ruleNames.name(row.rule) != rule { return false }
            if filter.key != nil, row.keyHash == 0, row.state.isLive { return false }
            return true
        }
    }

    func list(_ call: Call, _ connection: Connection) throws(CallFailure) {
        var request = ListRequest()
        try CallFailure.reading { () throws(ServiceError) in
            for member in call.members {
                switch member.name {
                case "filter":
                    request.filter = try FilterParameters(try Decode.object(member))
                case "limit":
                    request.limit = Int(try Decode.integer(member, 1...10_000_000) ?? 1_000)
                case "cursor":
                    request.cursor = try Decode.operationID(member) ?? OperationID(rawValue: 0)
                default: throw Decode.unknown(member)
                }
            }
        }
        guard !call.oneway else { return }
        let cursor = request.cursor
        var ids = ids(request.filter, for: connection.caller)
        if cursor.rawValue > 0 { ids.removeAll { $0 <= cursor } }
        let run = ListRun(request, ids, isStream: call.more, own: !connection.caller.isAdmin)
        connection.pause = .listing
        nextPage(run, connection)
    }

    private func nextPage(_ run: ListRun, _ connection: Connection) {
        guard let address = keepPlace(connection) else { return }
        let end = min(
            run.position + Limits.listPageMax, run.ids.count,
            run.position + run.request.limit - run.listed)
        let page = run.ids[run.position..<end]
        run.position = end
        let reply = OperationsReply(address, JSONWriter())
        reply.writer.beginReply()
        reply.writer.name("operations")
        reply.writer.beginArray()
        for id in page {
            read(.attributes, of: id) { [self] result in
                write(id, result, run, reply)
            }
        }
        // Read behind the page: the page is complete then.
        read(.attributes, of: OperationID(rawValue: 0)) { [self] _ in endPage(run, reply) }
    }

    private func write(
        _ id: OperationID, _ result: ReadResult, _ run: ListRun, _ reply: OperationsReply
    ) {
        // It may have been removed since the list was made.
        guard let view = scheduler.view(id), case .body(let parts) = result.content else { return }
        if let key = run.request.filter.key, !parts.key.elementsEqual(key.utf8) { return }
        run.listed += 1
        reply.writer.summary(view, parts, words)
    }

    private func endPage(_ run: ListRun, _ reply: OperationsReply) {
        guard let address = reply.address, let connection = connection(address.connection) else {
            return
        }
        let isDone = run.position >= run.ids.count || run.listed >= run.request.limit
        // Without `more` all pages are one answer.
        if !isDone, !run.isStream {
            return continuePage(run, reply)
        }
        reply.writer.endArray()
        let isCut = run.position < run.ids.count
        reply.writer.member(
            "cursor", isCut && isDone ? run.ids[run.position - 1].rawValue : nil)
        reply.writer.member("own", run.own)
        reply.writer.endReply(continues: run.isStream && !isDone)
        fill(address, with: reply.writer)
        if isDone { return resume(connection) }
        nextPage(run, connection)
    }

    private func continuePage(_ run: ListRun, _ reply: OperationsReply) {
        let end = min(
            run.position + Limits.listPageMax, run.ids.count,
            run.position + run.request.limit - run.listed)
        for id in run.ids[run.position..<end] {
            read(.attributes, of: id) { [self] result in write(id, result, run, reply) }
        }
        run.position = end
        read(.attributes, of: OperationID(rawValue: 0)) { [self] _ in endPage(run, reply) }
    }
}

struct ListRequest {
    var filter = FilterParameters()
    var limit = 1_000
    /// The last id of the page before.
    var cursor = OperationID(rawValue: 0)
}

/// A list that is being told.
final class ListRun {
    let request: ListRequest
    let ids: [OperationID]
    let isStream: Bool
    /// Only the caller's own operations are shown.
    let own: Bool
    var position = 0
    var listed = 0

    init(_ request: ListRequest, _ ids: [OperationID], isStream: Bool, own: Bool) {
        self.request = request
        self.ids = ids
        self.isStream = isStream
        self.own = own
    }
}
