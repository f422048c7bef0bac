import SystemKit

/// What retryd-exec says of itself, on standard error: systemd gives it to the journal.
enum Notice: Int {
    // The numbers of syslog(3), which journald takes from the front of a line.
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6

    func say(_ text: String) {
        let prefix = Terminal.isTerminal(StandardStream.error.fileDescriptor) ? "" : "<\(rawValue)>"
        // Where nobody reads it there is nobody to tell that either.
        try? StandardStream.error.write("\(prefix)retryd-exec: \(text)\n")
    }
}
