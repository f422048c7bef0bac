import RetryCore
import RetryModel
import SystemKit

/// The foreground of users as their sessions have it.
extension Engine {
    /// - Parameter users: all that are in the foreground now.
    func sessionsChanged(to users: Set<UserID>) {
        let before = sessionUsers
        sessionUsers = users
        guard storeState == .serving else { return }
        guard areSessionsInForce else { return putSessionsInForce() }
        // What somebody told in between stands until the sessions themselves change.
        for user in users.symmetricDifference(before).sorted() {
            setForeground(of: user, isOn: users.contains(user))
        }
    }

    /// After a start and after the store failed: levels that sessions set, and that they would not
    /// set now, fall.
    func putSessionsInForce() {
        areSessionsInForce = true
        var isOn: Set<UserID> = []
        for signal in scheduler.signals(visibleTo: Caller(user: 0, isAdmin: true)) {
            let record = signal.record
            guard case .foreground(let scope, _) = record.name, record.isOn, record.until == nil,
                scope.hasPrefix("user:"), let user = UserID(scope.dropFirst(5))
            else { continue }
            isOn.insert(user)
            if record.setter == identity.user, !sessionUsers.contains(user) {
                setForeground(of: user, isOn: false)
            }
        }
        for user in sessionUsers.subtracting(isOn).sorted() { setForeground(of: user, isOn: true) }
    }

    private func setForeground(of user: UserID, isOn: Bool) {
        let name = SignalName.foreground(of: "user:\(user)", for: user)
        let released = scheduler.signalSet(
            name, isOn: isOn, by: identity.user, lasting: nil, now: now, into: &effects)
        carryOutEffects()
        journal.signalSet(name, isOn: isOn, by: identity.user, released: released)
    }
}
