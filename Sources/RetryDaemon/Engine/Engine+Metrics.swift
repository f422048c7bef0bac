import JSON
import RetryCore
import RetryModel
import SystemKit
import Varlink

/// The daemon in numbers.
extension Engine {
    func metrics(_ call: Call, _ connection: Connection) throws(CallFailure) {
        try takeNothing(call)
        // They count everybody's operations.
        try requireAdmin(connection, for: "metrics")
        let text = metricsText
        answer(call, connection) { writer in writer.member("text", text) }
    }

    private var metricsText: String {
        var metrics = MetricsText()
        metrics.begin("retryd_build_info", .gauge, "Version of the running daemon.")
        metrics.value("retryd_build_info", 1, ("version", identity.version))
        metrics.moment(
            "process_start_time_seconds", "When the daemon was started, since 1970.",
            usec: identity.startedAt.usec)
        metrics.single(
            "process_resident_memory_bytes", .gauge, "Memory the daemon has in use.",
            (try? Memory.residentBytes()) ?? 0)
        metrics.begin("retryd_operations", .gauge, "Operations by state.")
        for state in OperationState.allCases {
            metrics.value(
                "retryd_operations", scheduler.counts[state], ("state", "\(state.name)"))
        }
        metrics.single("retryd_connections", .gauge, "Clients connected.", connectionCount)
        metrics.single(
            "retryd_store_writable", .gauge, "1 while the store takes writes, else 0.",
            storeState == .serving ? 1 : 0)
        metrics.single(
            "retryd_configuration_refused", .gauge,
            "1 while the configuration on disk was refused, else 0.", reloadRefusal == nil ? 0 : 1)
        metrics.single("retryd_calls_total", .counter, "Calls taken in.", counters.calls)
        metrics.single(
            "retryd_submits_total", .counter, "Operations handed over.", counters.submits)
        metrics.begin("retryd_attempts_total", .counter, "Attempts reported, by how they ended.")
        metrics.value("retryd_attempts_total", counters.succeeded, ("outcome", "succeeded"))
        metrics.value("retryd_attempts_total", counters.attemptsFailed, ("outcome", "failed"))
        metrics.single(
            "retryd_given_up_total", .counter, "Operations given up.", counters.gaveUp)
        metrics.single(
            "retryd_store_batches_total", .counter, "Batches handed to the store.",
            counters.batches)
        metrics.histogram(
            "retryd_lateness_seconds", "From when an operation was due to its lease.", lateness)
        metrics.histogram(
            "retryd_submit_duration_seconds", "From a call of Submit to the disk.", submitDuration)
        return metrics.text
    }
}
