import RetryModel
import Testing

@testable import RetryCore

/// One operation, brought into a state by real events.
struct Specimen {
    /// What matters of it besides its state.
    struct Setting: Sendable {
        enum Token { case open, old }

        var token = Token.old
        /// The signal its decision asks for.
        var condition: SignalName?
        var namesCredential = false
        /// Its credential was refused.
        var isRefused = false
        /// The server named a date.
        var hasDate = false
        var isIdempotent: Bool?
        /// Losing its lease once more parks it.
        var isLastRecovery = false
    }

    var fixture: Fixture
    let id: OperationID
    private(set) var setting: Setting
    /// The attempt whose token the setting says.
    private(set) var grant: Grant

    static let keyHash: UInt64 = 17

    /// - Returns: nil where there can be no such operation.
    static func make(_ state: OperationState, _ wanted: Setting) throws -> Specimen? {
        var setting = wanted
        if state == .held, setting.condition == nil, !setting.namesCredential {
            setting.condition = .ownForeground
        }
        var specimen = try Specimen(state, setting)
        switch setting.token {
        case .open:
            guard state != .succeeded, state != .cancelled else { return nil }
            try specimen.lose(into: state)
        case .old:
            try specimen.close(into: state)
        }
        if setting.isRefused {
            if state == .scheduled || state == .ready { return nil }
            specimen.fixture.set(.ownCredential(), false)
        }
        try #require(specimen.fixture.state(specimen.id) == state)
        return specimen
    }

    /// A leased one, its levels on.
    private init(_ state: OperationState, _ setting: Setting) throws {
        self.setting = setting
        var policy = Fixture.exact
        if setting.isLastRecovery { policy.recoveriesMax = 1 }
        // Young enough when it is given up that a late failure is decided by its verdict.
        policy.parkMax = .days(1)
        fixture = Fixture(policies: [policy])
        if let condition = setting.condition { fixture.set(condition, true) }
        var order = Fixture.Order(keyHash: Specimen.keyHash)
        if setting.namesCredential { order.credential = "oauth:alice" }
        // The one way to be parked with an open token is a loss whose outcome is unknown.
        let mustPark = setting.token == .open && (state == .parked || state == .dead)
        order.isIdempotent = mustPark ? false : setting.isIdempotent
        order.verdict = Specimen.wait(setting, fixture.now)
        id = try fixture.submit(order).id
        fixture.pass(.hours(2))
        grant = try #require(fixture.lease().first)
    }

    /// From leased to a state in which the token is still open.
    private mutating func lose(into state: OperationState) throws {
        switch state {
        case .leased:
            return
        case .held:
            if let condition = setting.condition { fixture.set(condition, false) }
            if setting.namesCredential { fixture.set(.ownCredential(), false) }
            _ = fixture.holderDied(Fixture.worker)
        case .scheduled:
            _ = fixture.holderDied(Fixture.worker)
            try fixture.reclassify(id, Specimen.wait(setting, fixture.now))
        case .ready, .parked:
            _ = fixture.holderDied(Fixture.worker)
        case .dead:
            _ = fixture.holderDied(Fixture.worker)
            fixture.pass(.days(1))
        case .succeeded, .cancelled:
            Issue.record("an ended one has no open token")
        }
    }

    /// From leased to a state in which the token is an old one.
    private mutating func close(into state: OperationState) throws {
        let wait = Specimen.wait(setting, fixture.now)
        switch state {
        case .scheduled:
            try fixture.report(grant, wait)
        case .held:
            try fixture.report(grant, wait)
            fixture.pass(.hours(2))
            if let condition = setting.condition {
                fixture.set(condition, false)
            } else {
                fixture.set(.ownCredential(), false)
            }
        case .ready:
            try fixture.report(grant, wait)
            fixture.pass(.hours(2))
        case .leased:
            try fixture.report(grant, wait)
            fixture.pass(.hours(2))
            _ = fixture.lease()
        case .parked:
            try fixture.report(grant, .newFlow)
        case .dead:
            try fixture.report(grant, .never)
        case .succeeded:
            try fixture.report(grant, nil)
        case .cancelled:
            try fixture.cancel(id)
        }
    }

    /// The failure that makes it wait as the setting says.
    private static func wait(_ setting: Setting, _ now: Now) -> Verdict {
        var verdict = Verdict.again
        if setting.hasDate { verdict.hint = .at(now.wall + .hours(1)) }
        switch setting.condition {
        case .foreground: verdict.condition = .whenForeground
        case .network: verdict.condition = .network
        case .custom(let name, _): verdict.condition = .custom(name)
        case .credential, nil: break
        }
        return verdict
    }
}
