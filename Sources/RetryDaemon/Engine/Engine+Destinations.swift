import JSON
import RetryCore
import RetryModel
import Varlink

/// ListDestinations.
extension Engine {
    func listDestinations(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try CallFailure.reading { () throws(ServiceError) in
            for member in call.members { throw Decode.unknown(member) }
        }
        let destinations = scheduler.destinations(visibleTo: connection.caller, now: now)
        answer(call, connection) { writer in
            writer.name("destinations")
            writer.beginArray()
            for destination in destinations {
                writer.beginObject()
                writer.member("destination", destination.name.name)
                writer.member("owner_uid", destination.name.owner.map { Int64($0) })
                writer.member("breaker", word: destination.breaker.name)
                writer.member("until_usec", destination.until, now)
                writer.member("since_usec", destination.since.usec)
                writer.member("failures", Int64(destination.failures))
                writer.member("budget", destination.tokensMilli / 1_000)
                writer.member("budget_max", destination.policy.budgetMax)
                writer.member("running", Int64(destination.leased))
                writer.member(
                    "running_max",
                    destination.policy.concurrencyMax == 0
                        ? nil : Int64(destination.policy.concurrencyMax))
                writer.member("waiting", Int64(destination.waiting))
                writer.endObject()
            }
            writer.endArray()
        }
    }
}
