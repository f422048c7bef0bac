import RetryClient
import SystemKit

/// What systemd tells of a unit (org.freedesktop.systemd1(5), "Properties").
struct UnitState: Hashable {
    /// `active`, `inactive`, `failed`, `activating`, `deactivating`, `reloading`.
    var active: String
    /// Depends on the type: `running`, `exited`, `auto-restart` …
    var sub: String
    /// `success`, or why it failed; empty for types that do not tell.
    var result: String
    /// 32 digits; empty: it was not run since systemd has known it.
    var invocation: String
    /// CLD_EXITED, CLD_KILLED or CLD_DUMPED of the main process; 0: there was none.
    var mainCode: Int64
    /// Its exit code or signal.
    var mainStatus: Int64

    /// - Parameter properties: of the unit and of its type, as GetAll gives them.
    init(_ properties: BusValue) {
        active = properties["ActiveState"]?.text ?? ""
        sub = properties["SubState"]?.text ?? ""
        result = properties["Result"]?.text ?? ""
        invocation = (properties["InvocationID"]?.list ?? [])
            .compactMap { $0.integer.map { UnitState.hexadecimal($0) } }.joined()
        mainCode = properties["ExecMainCode"]?.integer ?? 0
        mainStatus = properties["ExecMainStatus"]?.integer ?? 0
    }

    private static func hexadecimal(_ byte: Int64) -> String {
        let digits = String(byte, radix: 16)
        return byte < 16 ? "0" + digits : digits
    }

    /// How an attempt stands by it.
    enum Verdict: Hashable {
        case succeeded
        /// It runs; whether it lasts must be seen.
        case runs
        /// It is on the way to another state.
        case changes
        case failed
    }

    /// - Parameter isService: a service runs; everything else is done once it is active.
    func verdict(isService: Bool) -> Verdict {
        switch active {
        case "active", "reloading": isService && sub != "exited" ? .runs : .succeeded
        case "failed": .failed
        // A condition that was not met counts as success, as for systemd.
        case "inactive": result.isEmpty || result == "success" ? .succeeded : .failed
        case _: .changes
        }
    }

    func failure(of unit: String) -> UnitFailure {
        let end: ProcessFailure.End? =
            switch mainCode {
            case 0: nil
            // waitid(2): CLD_EXITED 1, CLD_KILLED 2, CLD_DUMPED 3.
            case 1: .exited(code: Int32(clamping: mainStatus))
            case _: .killed(signal: Int32(clamping: mainStatus), coreDumped: mainCode == 3)
            }
        return UnitFailure(
            unit: unit, result: result.isEmpty ? active : result, end: end,
            invocation: invocation.isEmpty ? nil : invocation)
    }
}
