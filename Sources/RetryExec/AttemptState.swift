import JSON
import RetryClient
import SystemKit

/// What one retryd-exec must know of an attempt that another one began: the state file.
struct AttemptState: Hashable {
    var id: Int64
    /// Of the lease.
    var token: Int64
    var runner: ProcessIdentity
    /// Without its environment and input, which only the start needs.
    var command: CommandPayload
    var isIdempotent: Bool?
    /// The count of `OutOfMemory` when the attempt began; nil where it is not known.
    var memoryKills: Int64?

    init(
        id: Int64, token: Int64, runner: ProcessIdentity, command: CommandPayload,
        isIdempotent: Bool?, memoryKills: Int64?
    ) {
        self.id = id
        self.token = token
        self.runner = runner
        self.command = command
        self.command.environment = []
        self.command.input = nil
        self.isIdempotent = isIdempotent
        self.memoryKills = memoryKills
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("id")
        writer.integer(id)
        writer.name("token")
        writer.integer(token)
        writer.name("runner_pid")
        writer.integer(Int64(runner.process))
        writer.name("runner_start_ticks")
        writer.integer(Int64(clamping: runner.startTicks))
        if let isIdempotent {
            writer.name("idempotent")
            writer.bool(isIdempotent)
        }
        if let memoryKills {
            writer.name("memory_kills")
            writer.integer(memoryKills)
        }
        writer.name("command")
        writer.raw(command.json.bytes)
        writer.endObject()
        return writer.bytes
    }

    /// - Returns: nil where the content is no state.
    init?(parsing content: [UInt8]) {
        let parser = JSONParser(lengthMax: max(1_024, content.count), depthMax: 8)
        guard let value = try? parser.parse(content),
            let id = value["id"]?.integer, let token = value["token"]?.integer,
            let process = value["runner_pid"]?.integer.flatMap({ Int32(exactly: $0) }),
            let ticks = value["runner_start_ticks"]?.integer.flatMap({ UInt64(exactly: $0) }),
            let command = value["command"].map({ RawJSON($0) }),
            let command = try? CommandPayload(parsing: command)
        else { return nil }
        self.init(
            id: id, token: token, runner: ProcessIdentity(process: process, startTicks: ticks),
            command: command, isIdempotent: value["idempotent"]?.bool,
            memoryKills: value["memory_kills"]?.integer)
    }
}
