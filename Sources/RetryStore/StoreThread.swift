import SystemKit

/// What the store thread does.
///
/// Sendable, although the writer is not: `Store` touches the writer only while it has no store
/// thread. It gives it away when it starts the thread and joins the thread before it takes it
/// back, so that at any time one thread has it.
struct StoreThread: @unchecked Sendable {
    let writer: StoreWriter
    let checkpointer: Checkpointer
    let channel: StoreChannel

    func run() {
        var upkeep = Upkeep(writer: writer, checkpointer: checkpointer)
        while true {
            switch channel.next(timeoutMs: upkeep.timeoutMs()) {
            case .carryOut(let batch):
                carryOut(batch)
                tellFailure { () throws(DatabaseError) in try upkeep.batchEnded() }
            case .probe:
                probe()
            case .nothing:
                tellFailure { () throws(DatabaseError) in try upkeep.quietCame() }
            case .stop:
                return
            }
        }
    }

    private func carryOut(_ batch: consuming StoreBatch) {
        let start = Clocks.monotonicUsec()
        var batch = batch
        let outcome = writer.carryOut(&batch)
        channel.post(
            StoreCompletion(
                kind: .batch, sequence: batch.sequence, outcome: outcome,
                commitUsec: Clocks.monotonicUsec() - start, batch: batch))
    }

    private func probe() {
        let start = Clocks.monotonicUsec()
        let outcome = writer.probe()
        post(.probe, outcome, usec: Clocks.monotonicUsec() - start)
    }

    private func tellFailure(of step: () throws(DatabaseError) -> Void) {
        do {
            try step()
        } catch {
            post(.upkeep, .failed(StoreError(error)), usec: 0)
        }
    }

    private func post(
        _ kind: StoreCompletion.Kind, _ outcome: StoreCompletion.Outcome, usec: Int64
    ) {
        channel.post(
            StoreCompletion(
                kind: kind, sequence: 0, outcome: outcome, commitUsec: usec,
                batch: StoreBatch(sequence: 0)))
    }
}
