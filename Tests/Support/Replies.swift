/// Answers as retryd gives them, for fake peers.
package enum Replies {
    package static let decision = #"""
        {"disposition":"retry","condition":"now","retry_after_s":2.5,"clamped":false,\#
        "rule":"http-unavailable","policy":"default","outcome":"waiting",\#
        "due_usec":1700000002000000,"due":1700000002000000,"delay_ms":2000}
        """#

    package static func submitted(
        id: Int64 = 17, state: String = "scheduled", decision: String = Replies.decision
    ) -> String {
        #"""
        {"id":\#(id),"state":"\#(state)","decision":\#(decision),"due_usec":1700000002000000,\#
        "due":1700000002000000,"existing":false,"duplicate":false}
        """#
    }

    /// - Parameter untilUsec: when the lease ends; in 2033 if nothing is said.
    package static func leased(
        id: Int64, token: Int64 = 1, payload: String = "\"hello\"",
        untilUsec: Int64 = 2_000_000_000_000_000
    ) -> String {
        #"""
        {"id":\#(id),"token":\#(token),"attempt":2,"recoveries":0,"queue":"mail","kind":"custom",\#
        "key":"k\#(id)","owner_uid":1000,"owner_gid":1000,"scope":"user:1000","priority":0,\#
        "tags":["a"],"visibility_usec":\#(untilUsec),"payload":\#(payload)}
        """#
    }

    package static func summary(
        id: Int64, state: String = "scheduled", reason: String = "backoff-until",
        key: String? = nil, queue: String = "mail"
    ) -> String {
        let key = key.map { "\"\($0)\"" } ?? "null"
        return #"""
            {"id":\#(id),"key":\#(key),"queue":"\#(queue)","kind":"custom","owner_uid":1000,\#
            "state":"\#(state)","due_usec":1700000002000000,"reason":"\#(reason)",\#
            "until_usec":1700000002000000,"attempts":1,"deferrals":0,"recoveries":0,"priority":0,\#
            "rule":"http-unavailable","policy":"default","scope":"user:1000","tags":[],\#
            "first_failure_usec":1700000000000000,"since_usec":1700000000000000}
            """#
    }

    package static let reason = #"""
        {"code":"backoff-until","until_usec":1700000002000000,"next":"tried again by itself"}
        """#
}
