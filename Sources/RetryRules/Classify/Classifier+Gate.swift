// The idempotency gate (RFC 9110 section 9.2.2, taxonomy section 0): what may have taken effect is
// repeated only where something proves that repeating it is safe.
extension Classifier {
    /// What the gate found.
    enum GateFinding {
        /// The attempt certainly had no effect.
        case notApplied
        case declaredIdempotent
        case hasIdempotencyKey
        case nothingSent
        /// GET, HEAD, OPTIONS, TRACE, PUT or DELETE.
        case idempotentMethod
        /// The failure describes no request that could have been applied.
        case noRequest
        case declaredNotIdempotent
        case notProven

        var isOpen: Bool {
            switch self {
            case .notApplied, .declaredIdempotent, .hasIdempotencyKey, .nothingSent,
                .idempotentMethod, .noRequest:
                true
            case .declaredNotIdempotent, .notProven:
                false
            }
        }
    }

    func isGateOpen(_ applied: RuleConsequence.Applied) -> Bool {
        let finding = gateFinding(applied)
        trace?.gate = finding
        return finding.isOpen
    }

    private func gateFinding(_ applied: RuleConsequence.Applied) -> GateFinding {
        if applied == .no { return .notApplied }
        let declared = flag(program.slots.idempotent) ?? options.isIdempotent
        if declared == true { return .declaredIdempotent }
        if hasKey { return .hasIdempotencyKey }
        if flag(program.slots.bytesSent) == false { return .nothingSent }
        if declared == false { return .declaredNotIdempotent }
        if hasIdempotentMethod { return .idempotentMethod }
        if applied == .maybe, !facts.has(Int(program.slots.request)) { return .noRequest }
        return .notProven
    }

    /// A boolean, also as a number: `bytes_sent` may be a count.
    private func flag(_ slot: UInt16) -> Bool? {
        guard let fact = facts[Int(slot)] else { return nil }
        switch fact.kind {
        case .bool, .integer: return fact.bits != 0
        case .text, .double, .array, .object: return nil
        }
    }

    private var hasKey: Bool {
        guard let fact = facts[Int(program.slots.idempotencyKey)] else { return false }
        return fact.kind == .text ? fact.count > 0 : fact.kind == .integer
    }

    /// RFC 9110 section 9.2.2. Methods are case-sensitive.
    private var hasIdempotentMethod: Bool {
        guard let fact = facts[Int(program.slots.method)], fact.kind == .text else { return false }
        let method = fact.text
        return TextMatch.isEqual(method, "GET") || TextMatch.isEqual(method, "PUT")
            || TextMatch.isEqual(method, "DELETE") || TextMatch.isEqual(method, "HEAD")
            || TextMatch.isEqual(method, "OPTIONS") || TextMatch.isEqual(method, "TRACE")
    }
}
