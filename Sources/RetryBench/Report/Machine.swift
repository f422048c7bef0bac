import SystemKit

/// What the figures were measured on.
struct Machine {
    var processor = "unknown processor"
    var processors = 0
    var kernel = ""
    /// Type and device of the file system the daemons write to.
    var fileSystem = "unknown file system"
    var isInMemory = false

    init(directory: String) {
        for line in Self.lines("/proc/cpuinfo") {
            if line.hasPrefix("processor") { processors += 1 }
            if line.hasPrefix("model name"), let colon = line.firstIndex(of: ":") {
                processor = String(line[line.index(after: colon)...].drop { $0 == " " })
            }
        }
        kernel = Self.lines("/proc/sys/kernel/osrelease").first.map { String($0) } ?? ""
        var longest = -1
        for line in Self.lines("/proc/self/mountinfo") {
            // proc(5): the mount point is the fifth field; type and source follow a lone "-".
            let fields = line.split(separator: " ")
            guard let mark = fields.firstIndex(of: "-"), mark + 2 < fields.count else { continue }
            let point = fields[4]
            let isAbove =
                point == "/" || directory == point || directory.hasPrefix("\(point)/")
            guard isAbove, point.count > longest else { continue }
            longest = point.count
            fileSystem = "\(fields[mark + 1]) on \(fields[mark + 2])"
            isInMemory = fields[mark + 1] == "tmpfs"
        }
    }

    var description: String {
        "\(processors) × \(processor), Linux \(kernel), \(fileSystem)"
    }

    private static func lines(_ path: String) -> [Substring] {
        let bytes = (try? Files.readAll(path, bytesMax: 1 << 20)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}
