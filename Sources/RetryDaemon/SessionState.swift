import RetryConfig
import RetryModel
import SystemKit

/// What logind tells of a session.
struct SessionState: Hashable {
    var user: UserID?
    /// `user`, `greeter`, `lock-screen`, `background`, `manager` …
    var sessionClass: String
    /// `x11`, `wayland`, `tty`, `mir`, `web`, `unspecified`.
    var type: String
    var seat: String
    var isActive: Bool
    var isLocked: Bool
    var isRemote: Bool

    /// - Parameter properties: as GetAll gives them.
    init(_ properties: BusValue) {
        user = properties["User"]?.list?.first?.integer.flatMap { UserID(exactly: $0) }
        sessionClass = properties["Class"]?.text ?? ""
        type = properties["Type"]?.text ?? ""
        seat = properties["Seat"]?.list?.first?.text ?? ""
        isActive = properties["Active"]?.bool ?? false
        isLocked = properties["LockedHint"]?.bool ?? false
        isRemote = properties["Remote"]?.bool ?? false
    }

    /// The user whose foreground it is; nil: nobody's.
    func user(by choice: SessionChoice) -> UserID? {
        // cron's are of class `background` or of no type; a greeter is nobody's.
        guard sessionClass == "user", isActive, !isLocked,
            ["x11", "wayland", "tty", "mir"].contains(type)
        else { return nil }
        switch choice {
        case .seat: return seat.isEmpty || isRemote ? nil : user
        case .remote: return user
        case .none: return nil
        }
    }
}
