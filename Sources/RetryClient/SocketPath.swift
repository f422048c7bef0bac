import SystemKit

/// Where retryd listens.
public enum SocketPath {
    /// Which of the two services of a host is meant.
    public enum Service: Sendable, CaseIterable {
        /// The host's.
        case system
        /// The user's own.
        case user
    }

    /// Names another socket; `Service` then counts for nothing.
    public static let variable = "RETRYD_SOCKET"
    public static let system = "/run/retryd/io.retryd"

    /// The socket to connect to: what the environment names, else the service's own.
    ///
    /// - Throws: `ClientError.Code.noRuntimeDirectory` when the user's service is meant and
    ///   XDG_RUNTIME_DIR is not set, as under cron and in `su`.
    public static func find(_ service: Service) throws(ClientError) -> String {
        try find(service) { Environment.value($0) }
    }

    static func find(
        _ service: Service, environment: (String) -> String?
    ) throws(ClientError) -> String {
        if let path = environment(variable), !path.isEmpty { return path }
        return try path(of: service, environment: environment)
    }

    /// The service's own socket, whatever RETRYD_SOCKET says.
    public static func path(of service: Service) throws(ClientError) -> String {
        try path(of: service) { Environment.value($0) }
    }

    static func path(
        of service: Service, environment: (String) -> String?
    ) throws(ClientError) -> String {
        switch service {
        case .system: return system
        case .user:
            guard let directory = environment("XDG_RUNTIME_DIR"), !directory.isEmpty else {
                throw ClientError(
                    .noRuntimeDirectory,
                    "the user's retryd can't be found: XDG_RUNTIME_DIR is not set; log in, or set "
                        + "it to /run/user/UID")
            }
            return "\(directory)/retryd/io.retryd"
        }
    }
}
