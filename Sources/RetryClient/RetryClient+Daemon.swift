package import JSON

extension RetryClient {
    /// A level to set.
    public struct SignalSetting: Hashable, Sendable {
        /// `foreground`, `network`, `credential:NAME` or `custom:NAME`.
        public var signal: String
        /// Of `foreground`: `user:UID` or `app:NAME`; nil: the caller's own.
        public var scope: String?
        public var isOn: Bool
        /// It falls back by itself after that.
        public var ttlMs: Int64?
        /// It falls back when that process of the caller ends.
        public var whileProcessID: Int32?
        /// Whose signal, for admins; nil: the caller's.
        public var ownerID: Int64?

        public init(_ signal: String, isOn: Bool, scope: String? = nil) {
            self.signal = signal
            self.isOn = isOn
            self.scope = scope
        }
    }

    /// Sets a signal.
    /// - Returns: how many operations stopped waiting for it.
    @discardableResult
    public func setSignal(_ setting: SignalSetting) throws(ClientError) -> Int64 {
        try setSignalRaw(setting).requiredInteger("released")
    }

    package func setSignalRaw(_ setting: SignalSetting) throws(ClientError) -> JSONValue {
        try answer("io.retryd.SetSignal", isRepeatable: true) { writer in
            writer.member("signal", setting.signal)
            writer.member("scope", setting.scope)
            writer.member("on", setting.isOn)
            writer.member("ttl_ms", setting.ttlMs)
            writer.member("while_pid", setting.whileProcessID.map { Int64($0) })
            writer.member("owner_uid", setting.ownerID)
        }
    }

    public func listSignals() throws(ClientError) -> [ToldSignal] {
        try ToldSignal.list(in: listSignalsRaw())
    }

    package func listSignalsRaw() throws(ClientError) -> JSONValue {
        try answer("io.retryd.ListSignals", isRepeatable: true)
    }

    public func status() throws(ClientError) -> DaemonStatus {
        try DaemonStatus(statusRaw())
    }

    package func statusRaw() throws(ClientError) -> JSONValue {
        try answer("io.retryd.Status", isRepeatable: true)
    }

    /// Reads rules and configuration again: all of it or, with the reason as error, none.
    public func reload() throws(ClientError) -> Reloaded {
        try Reloaded(reloadRaw())
    }

    package func reloadRaw() throws(ClientError) -> JSONValue {
        try answer("io.retryd.Reload", isRepeatable: true)
    }

    /// Sets which journal entries are written, until the next reload or start.
    ///
    /// - Parameter level: 0 emerg to 7 debug, as in syslog(3).
    public func setLogLevel(_ level: Int64) throws(ClientError) {
        try call("io.systemd.service.SetLogLevel", isRepeatable: true) { $0.member("level", level) }
    }

    /// Counters and histograms in the text format of Prometheus.
    public func metrics() throws(ClientError) -> String {
        try answer("io.retryd.Metrics", isRepeatable: true).requiredString("text")
    }

    /// The rules in force; with a name, those of that name with all there is to them.
    package func rulesRaw(_ name: String?) throws(ClientError) -> JSONValue {
        try answer("io.retryd.Rules", isRepeatable: true) { $0.member("name", name) }
    }

    /// The text of an interface the daemon implements.
    public func interfaceDescription(_ name: String) throws(ClientError) -> String {
        try answer("org.varlink.service.GetInterfaceDescription", isRepeatable: true) { writer in
            writer.member("interface", name)
        }.requiredString("description")
    }
}
