import SystemKit

/// What the kernel tells of a process (proc(5)).
enum ProcessFacts {
    /// Memory of its own that is resident: file pages it maps are shared with whoever maps them,
    /// but count as well.
    static func residentBytes(_ process: DaemonProcess) throws(BenchError) -> Int64 {
        let status = try read("/proc/\(process.id)/status")
        for line in status.split(separator: "\n") where line.hasPrefix("VmRSS:") {
            let digits = line.filter { $0.isNumber }
            if let kibibytes = Int64(digits) { return kibibytes * 1_024 }
        }
        throw .daemon("/proc/\(process.id)/status does not tell VmRSS")
    }

    /// What all its threads have run since they were started.
    static func runUsec(_ process: DaemonProcess) throws(BenchError) -> Double {
        var nanoseconds: Int64 = 0
        let tasks: [String]
        do {
            tasks = try Files.list("/proc/\(process.id)/task")
        } catch {
            throw .system(error)
        }
        for task in tasks {
            let schedule = try read("/proc/\(process.id)/task/\(task)/schedstat")
            nanoseconds += schedule.split(separator: " ").first.flatMap { Int64($0) } ?? 0
        }
        return Double(nanoseconds) / 1_000
    }

    /// User and system time in ticks of 10 ms, as `top` shows it: fields 14 and 15 of stat.
    static func ticks(_ process: DaemonProcess) throws(BenchError) -> Int64 {
        let stat = try read("/proc/\(process.id)/stat")
        // The name in parentheses may hold anything.
        guard let name = stat.lastIndex(of: ")") else { return 0 }
        let fields = stat[stat.index(after: name)...].split(separator: " ")
        guard fields.count > 12, let user = Int64(fields[11]), let system = Int64(fields[12])
        else { throw .daemon("/proc/\(process.id)/stat cannot be read") }
        return user + system
    }

    private static func read(_ path: String) throws(BenchError) -> String {
        do {
            return String(decoding: try Files.readAll(path, bytesMax: 1 << 20), as: UTF8.self)
        } catch {
            throw .system(error)
        }
    }
}
