import SystemKit

/// How often the kernel killed a process of this control group because memory ran out
/// (cgroup-v2.rst, "memory.events").
///
/// Commands stay in the control group of the retryd-exec that started them. A count that rose while
/// a command ran that ended by a SIGKILL nobody here sent says why.
struct OutOfMemory {
    /// Nil without control groups of version 2.
    private let eventsPath: String?

    init() {
        let groups = try? Files.readAll("/proc/self/cgroup", bytesMax: 16_384)
        let group = groups.flatMap(OutOfMemory.group(in:))
        eventsPath = group.map { "/sys/fs/cgroup\($0)/memory.events" }
    }

    /// Nil where the kernel does not count.
    var killCount: Int64? {
        guard let eventsPath, let events = try? Files.readAll(eventsPath, bytesMax: 4_096)
        else { return nil }
        return OutOfMemory.killCount(in: events)
    }

    /// The path of the group of version 2: the line that begins with "0::" (cgroups(7)).
    static func group(in content: [UInt8]) -> String? {
        for line in String(decoding: content, as: UTF8.self).split(separator: "\n")
        where line.hasPrefix("0::/") {
            return String(line.dropFirst(3))
        }
        return nil
    }

    static func killCount(in events: [UInt8]) -> Int64? {
        for line in String(decoding: events, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == "oom_kill" { return Int64(words[1]) }
        }
        return nil
    }
}
