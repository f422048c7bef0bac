import JSON
import SystemKit

/// Why a systemd unit failed, and the failure document that says so; made by whoever saw it: by
/// the unit's OnFailure= or by the worker that started it.
public struct UnitFailure: Hashable, Sendable {
    /// The name with its suffix, e.g. `backup.service`.
    public var unit: String
    /// The property Result of the unit (systemd.exec(5), $SERVICE_RESULT), or what became of the
    /// job that should have started it (JobRemoved of org.freedesktop.systemd1(5)).
    public var result: String
    /// How its main process ended; nil: there was none.
    public var end: ProcessFailure.End?
    /// Of the run that failed: whoever tells it again adds nothing. Nil: it was not run.
    public var invocation: String?
    /// systemd's own error, where it did not take the order: its D-Bus name.
    public var refusal: String?
    /// For people; nil: unit and result say it all.
    public var message: String?

    public init(
        unit: String, result: String, end: ProcessFailure.End? = nil, invocation: String? = nil
    ) {
        self.unit = unit
        self.result = result
        self.end = end
        self.invocation = invocation
    }

    public var json: RawJSON {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("event_id", invocation.map { UnitFailure.eventID(ofInvocation: $0) })
        writer.name("request")
        writer.beginObject()
        writer.member("unit", unit)
        writer.endObject()
        writer.member("message", message ?? "unit \(unit) failed with result \(result)")
        writer.name("process")
        writer.beginObject()
        writer.member("program", unit)
        writer.member("service_result", result)
        switch end {
        case nil: break
        case .exited(let code): writer.member("exit_code", Int64(code))
        case .killed(let signal, let coreDumped):
            writer.member("signal", ProcessSignal(rawValue: signal).name)
            if coreDumped { writer.member("core_dumped", true) }
        }
        if result == "oom-kill" { writer.member("oom_kill", true) }
        writer.endObject()
        if let refusal {
            writer.name("dbus")
            writer.beginObject()
            writer.member("name", refusal)
            writer.endObject()
        }
        writer.endObject()
        return RawJSON(writer.bytes)
    }

    /// What tells a run of a unit from all others.
    package static func eventID(ofInvocation invocation: String) -> String {
        "systemd-invocation:\(invocation)"
    }

    /// The payload of an operation of kind `unit`.
    public static func payload(unit: String) -> RawJSON {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("unit", unit)
        writer.endObject()
        return RawJSON(writer.bytes)
    }

    /// The unit that a payload names; nil where it names none.
    package static func unit(inPayload payload: OperationDraft.Payload) -> String? {
        guard case .json(let json) = payload else { return nil }
        let parser = JSONParser(lengthMax: max(1_024, json.bytes.count), depthMax: 4)
        guard let value = try? parser.parse(json.bytes) else { return nil }
        return value["unit"]?.string
    }
}
