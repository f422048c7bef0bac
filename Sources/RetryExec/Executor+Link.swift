import RetryClient
import SystemKit

/// Reaching the daemon, and reaching it again after it was restarted.
extension Executor {
    func connect() throws {
        link = try Link(path: options.socket, loop) { [unowned self] connection in
            try receive(from: connection)
        }
        reconnectAtUsec = nil
        reconnectDelayMs = Executor.reconnectDelayFirstMs
        askAtUsec = nil
        promised = 0
    }

    /// Takes the answers that are there.
    private func receive(from connection: PolledConnection) throws {
        do {
            try connection.receive()
        } catch let error as ClientError {
            lost(error)
        }
    }

    func sendCalls() {
        do throws(ClientError) {
            try link?.send()
        } catch {
            lost(error)
        }
    }

    /// Commands run on meanwhile; their leases stand as long as their runners live and the daemon
    /// hears of them again within their visibility.
    private func lost(_ error: ClientError) {
        guard link != nil else { return }
        link?.close()
        link = nil
        Notice.notice.say("\(error); trying again")
        planReconnection()
    }

    private func planReconnection() {
        // Half of it is drawn, so that the clients of a restarted daemon do not come at once.
        let drawnMs = Int64(Entropy.seed() % UInt64(reconnectDelayMs / 2 + 1))
        reconnectAtUsec = loop.nowUsec + (reconnectDelayMs / 2 + drawnMs) * 1_000
        reconnectDelayMs = min(2 * reconnectDelayMs, Executor.reconnectDelayMaxMs)
    }

    func reconnect() {
        do {
            try connect()
        } catch {
            return planReconnection()
        }
        Notice.notice.say("connected to \(options.socket) again")
        for attempt in attempts.values { attempt.connectionIsNew(nowUsec: loop.nowUsec) }
    }
}
