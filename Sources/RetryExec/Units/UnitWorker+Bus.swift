import RetryClient
import SystemKit

/// What is asked of systemd by D-Bus (org.freedesktop.systemd1(5)).
extension UnitWorker {
    private static let systemd = "org.freedesktop.systemd1"
    private static let manager = "org.freedesktop.systemd1.Manager"
    private static let managerPath = "/org/freedesktop/systemd1"
    private static let properties = "org.freedesktop.DBus.Properties"

    /// The manager that is meant: the host's for root, else the user's own.
    func openBus() throws(SystemError) {
        let bus = try Bus(
            Credentials.effectiveUser == 0 ? .system : .user, loop, priority: .clients)
        try bus.whenDisconnected { [unowned self] in
            lostBus("the connection to D-Bus ended")
        }
        try bus.watch(
            from: UnitWorker.systemd, path: UnitWorker.managerPath, UnitWorker.manager,
            "JobRemoved"
        ) { [unowned self] _, values in
            guard values.count == 4, let job = values[1].text, let result = values[3].text
            else { return }
            jobRemoved(job, result)
        }
        try bus.watch(
            from: UnitWorker.systemd, path: nil, UnitWorker.properties, "PropertiesChanged"
        ) { [unowned self] path, _ in
            for attempt in attempts.values
            where attempt.object == path && attempt.phase == .watching {
                look(attempt)
            }
        }
        // Without it systemd sends no signals to anybody.
        try bus.call(
            UnitWorker.systemd, path: UnitWorker.managerPath, UnitWorker.manager, "Subscribe"
        ) { [unowned self] answer in
            switch answer {
            case .success: isWell()
            case .failure(let error): lostBus("\(error)")
            }
        }
        self.bus = bus
        // What was missed meanwhile.
        for attempt in attempts.values where attempt.phase != .ended { look(attempt) }
    }

    private func lostBus(_ reason: String) {
        bus?.close()
        bus = nil
        troubled("units are not started for now: \(reason)")
    }

    private func ask(
        _ attempt: UnitAttempt, path: String = UnitWorker.managerPath, _ interface: String,
        _ method: String, _ arguments: [String], _ handler: @escaping (BusValue) -> Void
    ) {
        attempt.question += 1
        let question = attempt.question
        do throws(SystemError) {
            try bus?.call(UnitWorker.systemd, path: path, interface, method, arguments) {
                [unowned self] answer in
                guard attempts[attempt.id] === attempt, attempt.question == question,
                    attempt.phase != .ended
                else { return }
                switch answer {
                case .success(let values): handler(values.first ?? .list([]))
                case .failure(let error): refused(attempt, error)
                }
            }
        } catch {
            lostBus("\(error)")
        }
    }

    /// systemd said no: `NoSuchUnit`, `UnitMasked`, `LoadFailed` …
    private func refused(_ attempt: UnitAttempt, _ error: BusError) {
        if error.mayPass {
            Notice.info.say("unit \(attempt.unit): \(error); asking again")
            attempt.lookAtUsec = loop.nowUsec + UnitWorker.retryUsec
            return
        }
        var failure = UnitFailure(unit: attempt.unit, result: "refused")
        failure.refusal = error.name
        failure.message = error.message
        report(attempt, .failed(failure.json))
    }

    /// Asks how a unit is, and goes on from there.
    func look(_ attempt: UnitAttempt) {
        guard let object = attempt.object else {
            return ask(attempt, UnitWorker.manager, "LoadUnit", [attempt.unit]) {
                [unowned self] path in
                attempt.object = path.text
                look(attempt)
            }
        }
        ask(attempt, path: object, UnitWorker.properties, "GetAll", [""]) {
            [unowned self] properties in
            looked(attempt, UnitState(properties))
        }
    }

    private func looked(_ attempt: UnitAttempt, _ state: UnitState) {
        switch attempt.phase {
        case .looking:
            if hasSucceededSince(attempt, state) {
                Notice.info.say("unit \(attempt.unit) succeeded meanwhile")
                report(attempt, .succeeded)
            } else {
                start(attempt)
            }
        case .starting:
            // The connection was lost while the job ran, and its end with it.
            if attempt.job == nil { start(attempt) }
        case .watching: judge(attempt, state)
        case .ended: break
        }
    }

    /// Whether it was started by somebody else after the failure that was told, and ended well.
    private func hasSucceededSince(_ attempt: UnitAttempt, _ state: UnitState) -> Bool {
        guard let failed = attempt.failedEvent, !state.invocation.isEmpty,
            failed != UnitFailure.eventID(ofInvocation: state.invocation)
        else { return false }
        return state.active == "inactive" && state.result == "success" && state.mainCode == 1
    }

    private func start(_ attempt: UnitAttempt) {
        attempt.phase = .starting
        // How often it is started is the policy's business: StartLimitBurst= would refuse what
        // comes sooner. A unit that does not exist is refused by StartUnit.
        try? bus?.call(
            UnitWorker.systemd, path: UnitWorker.managerPath, UnitWorker.manager,
            "ResetFailedUnit", [attempt.unit]
        ) { _ in }
        ask(attempt, UnitWorker.manager, "StartUnit", [attempt.unit, "replace"]) { job in
            attempt.job = job.text
        }
    }

    private func jobRemoved(_ job: String, _ result: String) {
        guard let attempt = attempts.values.first(where: { $0.job == job }) else { return }
        attempt.job = nil
        guard attempt.phase == .starting else { return }
        switch result {
        // The state of the unit says how it went.
        case "done", "failed", "timeout", "skipped":
            attempt.phase = .watching
            look(attempt)
        // It was not run at all: canceled, dependency, invalid, assert, unsupported, collected,
        // once.
        case _:
            report(attempt, .failed(UnitFailure(unit: attempt.unit, result: result).json))
        }
    }

    private func judge(_ attempt: UnitAttempt, _ state: UnitState) {
        switch state.verdict(isService: attempt.unit.hasSuffix(".service")) {
        case .succeeded: report(attempt, .succeeded)
        case .failed: report(attempt, .failed(state.failure(of: attempt.unit).json))
        case .changes: attempt.provenAtUsec = nil
        case .runs:
            if attempt.provenAtUsec == nil {
                attempt.provenAtUsec = attempt.provenUsec(from: loop.nowUsec)
            }
        }
    }
}
