import JSON
import RetryModel
import Varlink

/// Which method does what. Each method has its file under Engine/.
extension Engine {
    /// - Parameters:
    ///   - frame: The bytes of the call, for taking it up again later.
    ///   - resolution: What the store said about the call's key and event, when it was asked.
    func carryOut(
        _ call: Call, _ frame: UnsafeRawBufferPointer, _ connection: Connection,
        _ resolution: Resolution
    ) {
        do throws(CallFailure) {
            if let reason = resolution.failure { throw .refused(.storeUnavailable(reason), nil) }
            switch call.method {
            case "io.retryd.Submit": try submit(call, frame, connection, resolution)
            case "io.retryd.SubmitMany": try submitMany(call, frame, connection, resolution)
            case "io.retryd.Lease": try lease(call, connection)
            case "io.retryd.Extend": try extend(call, connection)
            case "io.retryd.Report": try report(call, frame, connection, resolution)
            case "io.retryd.Release": try release(call, connection)
            case "io.retryd.Get": try get(call, connection)
            case "io.retryd.List": try list(call, connection)
            case "io.retryd.Why": try why(call, connection)
            case "io.retryd.History": try history(call, connection)
            case "io.retryd.Classify": try classify(call, connection)
            case "io.retryd.Explain": try explain(call, connection)
            case "io.retryd.Rules": try listRules(call, connection)
            case "io.retryd.Cancel": try cancel(call, connection)
            case "io.retryd.Retry": try retry(call, connection)
            case "io.retryd.Recover": try recover(call, connection)
            case "io.retryd.Resolve": try resolve(call, connection)
            case "io.retryd.SetSignal": try setSignal(call, connection)
            case "io.retryd.ListSignals": try listSignals(call, connection)
            case "io.retryd.Pause": try pause(call, connection)
            case "io.retryd.Resume": try resume(call, connection)
            case "io.retryd.ListPauses": try listPauses(call, connection)
            case "io.retryd.ListDestinations": try listDestinations(call, connection)
            case "io.retryd.Status": try status(call, connection)
            case "io.retryd.Watch": try watch(call, connection)
            case "io.retryd.Reload": try reload(call, connection)
            case "io.retryd.Metrics": try metrics(call, connection)
            case "io.systemd.service.Ping": try ping(call, connection)
            case "io.systemd.service.Reload": try reloadService(call, connection)
            case "io.systemd.service.SetLogLevel": try setLogLevel(call, connection)
            case "io.systemd.service.GetEnvironment": try getEnvironment(call, connection)
            default: describe(call, connection)
            }
        } catch {
            refuse(error, call, connection)
        }
    }

    /// `org.varlink.service`, and every method there is not.
    private func describe(_ call: Call, _ connection: Connection) {
        if call.oneway { return }
        scratch.restart()
        Interface.description.answer(call, into: &scratch)
        scratch.withBytes { bytes in
            connection.replies.append(
                bytes.bindMemory(to: UInt8.self), after: batchOfAnswers, stored: stored)
        }
        awaitStore(connection)
        touch(connection)
    }

    /// Refuses work while it could not be kept.
    func requireStore() throws(CallFailure) {
        if case .failing(let reason) = storeState {
            throw .refused(.storeUnavailable(reason), nil)
        }
    }
}

/// Why a call ends with an error reply.
enum CallFailure: Error {
    case service(ServiceError)
    /// With the operation the call was about.
    case refused(Refusal, OperationID?)
    case configuration(SettingsError)
    /// A variable of the environment is not UTF-8.
    case inconsistentEnvironment

    /// - Parameter reason: Who may, and what to do about it.
    static func denied(_ reason: String) -> CallFailure {
        .refused(.permissionDenied(reason), nil)
    }

    /// Runs what can only fail by the words of the call.
    static func reading<Result>(
        _ body: () throws(ServiceError) -> Result
    ) throws(CallFailure) -> Result {
        do {
            return try body()
        } catch {
            throw .service(error)
        }
    }

    /// Runs what can only be refused.
    static func acting<Result>(
        on id: OperationID? = nil, _ body: () throws(Refusal) -> Result
    ) throws(CallFailure) -> Result {
        do {
            return try body()
        } catch {
            throw .refused(error, id)
        }
    }
}

/// What the daemon implements.
enum Interface {
    static let description = ServiceDescription(
        vendor: "retryd", product: "retryd", version: Version.current, url: "https://retryd.io",
        interfaces: [
            ServiceDescription.Interface(
                name: "io.retryd",
                description: String(decoding: PackageResources.io_retryd_varlink, as: UTF8.self)),
            ServiceDescription.Interface(
                name: "io.systemd.service",
                description: String(
                    decoding: PackageResources.io_systemd_service_varlink, as: UTF8.self)),
        ])
}
