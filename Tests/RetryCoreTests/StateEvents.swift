import RetryModel
import Support
import Testing

@testable import RetryCore

/// A row of the table of states and events: what happens to a specimen.
struct StateEvent: Sendable {
    var setting: @Sendable (OperationState) -> Specimen.Setting
    var act: @Sendable (inout Specimen, OperationState) throws -> Void

    init(
        _ setting: Specimen.Setting = Specimen.Setting(),
        _ act: @escaping @Sendable (inout Specimen, OperationState) throws -> Void
    ) {
        self.setting = { _ in setting }
        self.act = act
    }

    private static let open = Specimen.Setting(token: .open)

    /// By the text in the first column.
    static let all: [String: StateEvent] = [time, workers, reports, owners, levels, others]
        .reduce(into: [:]) { all, group in all.merge(group) { first, _ in first } }

    // MARK: Time

    private static let time: [String: StateEvent] = [
        "timePassed: its moment came": StateEvent { try reachMoment(&$0, $1) },
        "timePassed: its moment came, not idempotent":
            StateEvent(Specimen.Setting(isIdempotent: false)) { try reachMoment(&$0, $1) },
        "timePassed: its moment came, lost too often":
            StateEvent(Specimen.Setting(isLastRecovery: true)) { try reachMoment(&$0, $1) },
        "timePassed: the TTL of its level ended": levelEnds,
        "clockStepped: past the date it waits for":
            StateEvent(Specimen.Setting(hasDate: true)) { specimen, _ in
                specimen.fixture.stepWall(.hours(3))
            },
        "clockStepped: back before that date":
            StateEvent(Specimen.Setting(hasDate: true)) { specimen, _ in
                specimen.fixture.stepWall(.hours(-3))
            },
        "lineMoved: of before the boot": StateEvent { specimen, _ in
            try moveLine(&specimen, hoursOfBoot: 1)
        },
        "lineMoved: of this boot": StateEvent { specimen, _ in
            try moveLine(&specimen, hoursOfBoot: -1)
        },
    ]

    /// An hour after a boot that began then.
    private static func moveLine(_ specimen: inout Specimen, hoursOfBoot: Int64) throws {
        let now = specimen.fixture.now
        let boot = Now(
            instant: now.instant + .hours(hoursOfBoot), wall: now.wall + .hours(hoursOfBoot))
        specimen.fixture.makeGood(.hours(1), of: boot, wall: now.wall)
        specimen.fixture.pass(.zero)
    }

    private static func reachMoment(_ specimen: inout Specimen, _ state: OperationState) throws {
        let view = try #require(specimen.fixture.core.view(specimen.id, now: specimen.fixture.now))
        let moment = view.reason.until ?? view.record.due
        let wait = moment - specimen.fixture.now.instant
        specimen.fixture.pass(state == .ready ? .hours(1) : wait)
    }

    /// Held ones wait for what is there by itself, the others have what is not.
    private static let levelEnds: StateEvent = {
        var event = StateEvent { specimen, state in
            let signal: SignalName = state == .held ? .network : .ownForeground
            specimen.fixture.set(signal, state != .held, lasting: .seconds(1))
            specimen.fixture.pass(.seconds(1))
        }
        event.setting = { state in
            Specimen.Setting(condition: state == .held ? .network : .ownForeground)
        }
        return event
    }()

    // MARK: Workers

    private static let workers: [String: StateEvent] = [
        "leaseAsked": StateEvent { specimen, _ in _ = specimen.fixture.lease(5) },
        "leaseExtended: open token": StateEvent(open) { specimen, _ in
            _ = try specimen.fixture.extend(specimen.grant)
        },
        "leaseExtended: old token": StateEvent { specimen, _ in
            _ = try specimen.fixture.extend(specimen.grant)
        },
        "holderDisconnected": StateEvent { specimen, _ in
            specimen.fixture.core.holderDisconnected(
                Fixture.worker, now: specimen.fixture.now)
        },
        "holderDied": StateEvent { specimen, _ in
            _ = specimen.fixture.holderDied(Fixture.worker)
        },
        "holderDied: not idempotent":
            StateEvent(Specimen.Setting(isIdempotent: false)) { specimen, _ in
                _ = specimen.fixture.holderDied(Fixture.worker)
            },
        "holderDied: its level fell meanwhile": levelFallsThenDeath,
    ]

    /// Only what is leased has its level on until then: the others would show that it fell.
    private static let levelFallsThenDeath: StateEvent = {
        var event = StateEvent { specimen, state in
            if state == .leased { specimen.fixture.set(.ownForeground, false) }
            _ = specimen.fixture.holderDied(Fixture.worker)
        }
        event.setting = { state in
            Specimen.Setting(condition: state == .leased ? .ownForeground : nil)
        }
        return event
    }()

    private static let reports: [String: StateEvent] = [
        "attemptReported: succeeded, open token": report(nil, open),
        "attemptReported: failed, retry, open token": report(.again, open),
        "attemptReported: failed, when-foreground, open token": report(.foreground, open),
        "attemptReported: failed, reauthenticate, open token": report(.signIn, open),
        "attemptReported: failed, new-flow, open token": report(.newFlow, open),
        "attemptReported: failed, permanent, open token": report(.never, open),
        "attemptReported: succeeded, old token": report(nil, Specimen.Setting()),
        "attemptReported: failed, retry, old token": report(.again, Specimen.Setting()),
        "attemptReleased: with a delay, open token": StateEvent(open) { specimen, _ in
            try specimen.fixture.release(specimen.grant, delay: .hours(1))
        },
        "attemptReleased: at once, open token": StateEvent(open) { specimen, _ in
            try specimen.fixture.release(specimen.grant)
        },
        "attemptReleased: old token": StateEvent { specimen, _ in
            try specimen.fixture.release(specimen.grant)
        },
    ]

    private static func report(_ verdict: Verdict?, _ setting: Specimen.Setting) -> StateEvent {
        StateEvent(setting) { specimen, _ in
            try specimen.fixture.report(specimen.grant, verdict)
        }
    }

    // MARK: Owners and levels

    private static let owners: [String: StateEvent] = [
        "cancelAsked": StateEvent { specimen, _ in try specimen.fixture.cancel(specimen.id) },
        "retryAsked": StateEvent { specimen, _ in try specimen.fixture.retry(specimen.id) },
        "retryAsked: its credential refused":
            StateEvent(Specimen.Setting(namesCredential: true, isRefused: true)) {
                specimen, _ in try specimen.fixture.retry(specimen.id)
            },
        "recoverAsked: retry": StateEvent { specimen, _ in
            try specimen.fixture.recover(specimen.id, .retry)
        },
        "recoverAsked: sign-in, its credential refused":
            StateEvent(Specimen.Setting(namesCredential: true, isRefused: true)) {
                specimen, _ in try specimen.fixture.recover(specimen.id, .signIn)
            },
        "recoverAsked: cancel": StateEvent { specimen, _ in
            try specimen.fixture.recover(specimen.id, .cancel)
        },
        "resolveAsked: nothing told": StateEvent { specimen, _ in
            try specimen.fixture.resolve(specimen.id)
        },
        "resolveAsked: failed, retry": StateEvent { specimen, _ in
            try specimen.fixture.resolve(specimen.id, .again)
        },
        "resolveAsked: failed, permanent": StateEvent { specimen, _ in
            try specimen.fixture.resolve(specimen.id, .never)
        },
        "reclassifyAsked: retry": StateEvent { specimen, _ in
            try specimen.fixture.reclassify(specimen.id, .again)
        },
        "reclassifyAsked: permanent": StateEvent { specimen, _ in
            try specimen.fixture.reclassify(specimen.id, .never)
        },
    ]

    private static let conditioned = Specimen.Setting(condition: .ownForeground)
    private static let signedIn = Specimen.Setting(namesCredential: true)

    private static let levels: [String: StateEvent] = [
        "signalSet: its condition on": set(.ownForeground, true, conditioned),
        "signalSet: its condition off": set(.ownForeground, false, conditioned),
        "signalSet: its credential on": set(.ownCredential(), true, signedIn),
        "signalSet: its credential off": set(.ownCredential(), false, signedIn),
        "operationSubmitted: another one, its credential refused": StateEvent(signedIn) {
            specimen, _ in
            try specimen.fixture.submit(
                Fixture.Order(credential: "oauth:alice", verdict: .signIn))
        },
    ]

    private static func set(
        _ signal: SignalName, _ isOn: Bool, _ setting: Specimen.Setting
    ) -> StateEvent {
        StateEvent(setting) { specimen, _ in specimen.fixture.set(signal, isOn) }
    }

    // MARK: The daemon itself

    private static let others: [String: StateEvent] = [
        "policiesChanged": StateEvent { specimen, _ in
            var effects = Effects()
            specimen.fixture.core.policiesChanged(
                to: [Policy(name: "other")], ofQueues: [("mail.send", "other")],
                into: &effects)
        },
        "clockTrustChanged": StateEvent { specimen, _ in
            specimen.fixture.core.clockTrustChanged(to: false)
        },
        "pauseAsked": StateEvent { specimen, _ in
            try specimen.fixture.pause(PauseScope(queue: "mail.send"))
        },
        "pauseAsked, then resumeAsked": StateEvent { specimen, _ in
            try specimen.fixture.pause(PauseScope(queue: "mail.send"))
            try specimen.fixture.resume(PauseScope(queue: "mail.send"))
        },
        "limitsChanged": StateEvent { specimen, _ in
            var limits = SchedulerLimits()
            limits.deadKeptMax = 0
            limits.endedKept = .zero
            specimen.fixture.core.limitsChanged(to: limits)
        },
        "operationRestored: after a restart": StateEvent { specimen, _ in
            var store = StoreModel()
            store.commit(specimen.fixture.log)
            var effects = Effects()
            specimen.fixture.core = store.restored(
                seed: 1, policies: [Fixture.exact], now: specimen.fixture.now, into: &effects)
        },
    ]
}
