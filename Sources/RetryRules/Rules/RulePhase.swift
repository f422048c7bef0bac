/// The kinds of evidence a rule can speak about, in the order in which they are asked.
///
/// The order is forced by collisions: throttling arrives as HTTP 400, an OAuth error as HTTP 200,
/// curl's 77 is not sysexits' 77. Within a phase the first rule that matches wins.
package enum RulePhase: UInt8, Sendable, CaseIterable {
    /// Somebody who knows has already decided: an SDK, or the server in so many words.
    case verdict = 0
    /// A typed body: an OAuth error, a Graph code, a gRPC status, an SQLSTATE, an SMTP reply.
    case body = 1
    /// An HTTP status with its headers.
    case status = 2
    /// Why the bytes did not travel; asked of the deepest cause first.
    case transport = 3
    /// What an exit code or a line on standard error means in that very program.
    case program = 4
    /// What remains: exit codes and signals by convention, the last word of a family.
    case generic = 5

    package var name: String {
        switch self {
        case .verdict: "verdict"
        case .body: "body"
        case .status: "status"
        case .transport: "transport"
        case .program: "program"
        case .generic: "generic"
        }
    }

    package init?(name: String) {
        guard let phase = RulePhase.allCases.first(where: { phase in phase.name == name }) else {
            return nil
        }
        self = phase
    }
}
