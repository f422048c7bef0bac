import RetryConfig
import SystemKit
import Testing

@testable import RetryDaemon

/// Whose foreground a session of logind is.
@Suite
struct SessionStateTests {
    private func session(_ changes: [String: BusValue] = [:]) -> SessionState {
        var properties: [BusValue: BusValue] = [
            .text("User"): .list([.integer(1000), .text("/org/freedesktop/login1/user/_1000")]),
            .text("Class"): .text("user"), .text("Type"): .text("wayland"),
            .text("Seat"): .list([.text("seat0"), .text("/")]), .text("Active"): .bool(true),
            .text("LockedHint"): .bool(false), .text("Remote"): .bool(false),
        ]
        for (name, value) in changes { properties[.text(name)] = value }
        return SessionState(.dictionary(properties))
    }

    @Test
    func aPersonAtASeat() {
        #expect(session().user(by: .seat) == 1000)
        #expect(session().user(by: .remote) == 1000)
        #expect(session().user(by: .none) == nil)
        #expect(session(["Type": .text("tty")]).user(by: .seat) == 1000)
    }

    @Test(arguments: [
        ("Class", BusValue.text("greeter")), ("Class", .text("background")),
        ("Type", .text("unspecified")), ("Active", .bool(false)), ("LockedHint", .bool(true)),
    ])
    func nobodyThere(name: String, value: BusValue) {
        #expect(session([name: value]).user(by: .seat) == nil)
        #expect(session([name: value]).user(by: .remote) == nil)
    }

    @Test
    func ssh() {
        let remote = session(["Seat": .list([.text(""), .text("/")]), "Remote": .bool(true)])
        #expect(remote.user(by: .seat) == nil)
        #expect(remote.user(by: .remote) == 1000)
    }
}
