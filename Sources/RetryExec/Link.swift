import RetryClient
import SystemKit

/// The connections to the daemon. A Lease that waits holds up what is called behind it, so it has
/// one of its own.
final class Link {
    let calls: PolledConnection
    let leases: PolledConnection
    private var sources: [IOSource] = []

    /// - Parameter ready: called when one of them is ready for something.
    init(
        path: String, _ loop: EventLoop, ready: @escaping (PolledConnection) throws -> Void
    ) throws {
        calls = try PolledConnection(path: path)
        leases = try PolledConnection(path: path)
        for connection in [calls, leases] {
            sources.append(
                try loop.addIO(connection.fileDescriptor, .readable, priority: .clients) { _ in
                    try ready(connection)
                })
        }
    }

    /// Sends what is in line, and watches for room where it does not fit.
    func send() throws(ClientError) {
        for (connection, source) in zip([calls, leases], sources) {
            let isAll = try connection.send()
            source.watch(isAll ? .readable : [.readable, .writable])
        }
    }

    /// Nothing is told after that.
    func close() {
        for source in sources { source.close() }
        sources = []
    }
}
