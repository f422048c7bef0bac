import RetryConfig
import RetryModel
import SystemKit

/// Follows who is in the foreground by logind's sessions (org.freedesktop.login1(5)).
///
/// Neither D-Bus nor logind need be there: what is missing is told once and tried again, and the
/// daemon goes on. Nothing here starts logind.
final class Sessions {
    private let loop: EventLoop
    private let journal: Journalist
    /// Called with all users who are in the foreground, whenever that may have changed.
    private let changed: (Set<UserID>) -> Void
    var choice: SessionChoice {
        // In a turn of the loop of its own.
        didSet { if choice != oldValue { timer?.arm(atUsec: 0) } }
    }

    private var bus: Bus?
    private var timer: TimerSource?
    /// Users by session object, for sessions that count.
    private var users: [String: UserID] = [:]
    /// It was told that logind is not there.
    private var isMissingTold = false

    private static let logind = "org.freedesktop.login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let managerPath = "/org/freedesktop/login1"
    private static let session = "org.freedesktop.login1.Session"
    private static let sessionPaths = "/org/freedesktop/login1/session/"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let retryUsec: Int64 = 10_000_000

    init(
        _ loop: EventLoop, _ choice: SessionChoice, _ journal: Journalist,
        changed: @escaping (Set<UserID>) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.choice = choice
        self.journal = journal
        self.changed = changed
        timer = try loop.addTimer(priority: .clients, accuracyUsec: 100_000) { [weak self] in
            self?.restart()
        }
        timer?.arm(atUsec: 0)
    }

    private func restart() {
        bus?.close()
        bus = nil
        users = [:]
        guard choice != .none else { return changed([]) }
        do throws(SystemError) {
            try open()
        } catch {
            missing("\(error)")
        }
    }

    /// Nobody is known to be in the foreground until it is there again.
    private func missing(_ reason: String) {
        bus?.close()
        bus = nil
        users = [:]
        changed([])
        if !isMissingTold {
            journal.note(
                "No sessions are followed, who is in the foreground is told by `retryctl "
                    + "foreground` only: \(reason)")
        }
        isMissingTold = true
        timer?.arm(atUsec: Clocks.boottimeUsec() + Sessions.retryUsec)
    }

    private func open() throws(SystemError) {
        let bus = try Bus(.system, loop, priority: .clients)
        self.bus = bus
        try bus.whenDisconnected { [weak self] in self?.missing("the connection to D-Bus ended") }
        try bus.watch(
            from: Sessions.logind, path: Sessions.managerPath, Sessions.manager, "SessionNew"
        ) { [weak self] _, values in
            if values.count == 2, let path = values[1].text { self?.look(path) }
        }
        try bus.watch(
            from: Sessions.logind, path: Sessions.managerPath, Sessions.manager, "SessionRemoved"
        ) { [weak self] _, values in
            if values.count == 2, let path = values[1].text { self?.set(path, nil) }
        }
        try bus.watch(from: Sessions.logind, path: nil, Sessions.properties, "PropertiesChanged") {
            [weak self] path, _ in
            if path.hasPrefix(Sessions.sessionPaths) { self?.look(path) }
        }
        try bus.watch(
            from: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", "org.freedesktop.DBus",
            "NameOwnerChanged", argument: Sessions.logind
        ) { [weak self] _, _ in
            // It came or went; its sessions are asked for again.
            self?.list()
        }
        list()
    }

    private func list() {
        users = [:]
        call(Sessions.managerPath, Sessions.manager, "ListSessions", []) { sessions in
            self.isMissingTold = false
            for session in sessions.list ?? [] {
                if let path = session.list?.last?.text { self.look(path) }
            }
            // There may be none.
            self.changed(Set(self.users.values))
        }
    }

    /// Asks how a session is.
    private func look(_ path: String) {
        call(path, Sessions.properties, "GetAll", [Sessions.session]) { properties in
            self.set(path, SessionState(properties).user(by: self.choice))
        }
    }

    private func set(_ path: String, _ user: UserID?) {
        guard users[path] != user else { return }
        users[path] = user
        changed(Set(users.values))
    }

    private func call(
        _ path: String, _ interface: String, _ method: String, _ arguments: [String],
        _ handler: @escaping (BusValue) -> Void
    ) {
        do throws(SystemError) {
            try bus?.call(
                Sessions.logind, path: path, interface, method, arguments, starts: false
            ) { [weak self] answer in
                switch answer {
                case .success(let values): handler(values.first ?? .list([]))
                // A session that ended meanwhile.
                case .failure where method == "GetAll": self?.set(path, nil)
                case .failure(let error): self?.notThere(error)
                }
            }
        } catch {
            missing("\(error)")
        }
    }

    private func notThere(_ error: BusError) {
        // The bus is well, logind does not run: NameOwnerChanged tells when it comes.
        if error.name == "org.freedesktop.DBus.Error.NameHasNoOwner"
            || error.name == "org.freedesktop.DBus.Error.ServiceUnknown"
        {
            if !isMissingTold {
                journal.note(
                    "logind does not run: who is in the foreground is told by `retryctl "
                        + "foreground` only")
            }
            isMissingTold = true
            changed([])
        } else {
            missing("\(error)")
        }
    }

    func close() {
        timer?.close()
        bus?.close()
        bus = nil
    }
}
