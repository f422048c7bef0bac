package import JSON
import Varlink

/// A connection for programs that have an event loop of their own: no call on it waits.
///
/// The program watches `fileDescriptor`, calls `receive` when it is readable and `send` when it
/// has made calls, and again when the descriptor is writable as long as `send` says that something
/// is left. What either throws ends the connection: the calls whose answers have not come are
/// then lost, and whether they were carried out is not known.
package final class PolledConnection {
    /// Gets the parameters of an answer, valid as long as the call, or the error the daemon told.
    package typealias Handler = (Result<JSONValue, ClientError>) throws -> Void

    private let connection: Connection
    /// In the order of their calls, which is that of the answers.
    private var handlers: [Handler] = []

    package init(path: String) throws(ClientError) {
        connection = try Connection(path: path)
    }

    package var fileDescriptor: Int32 { connection.fileDescriptor }

    /// Calls made whose answers have not come.
    package var outstanding: Int { handlers.count }

    /// Puts a call in line.
    package func call(
        _ method: StaticString, parameters: (inout JSONWriter) -> Void,
        handler: @escaping Handler
    ) {
        connection.enqueue(expectsReply: true) { writer in
            writer.beginCall(method)
            parameters(&writer)
            writer.endCall()
        }
        handlers.append(handler)
    }

    /// Sends what the socket takes of the calls in line.
    /// - Returns: whether that was all.
    package func send() throws(ClientError) -> Bool {
        try connection.flushNow()
    }

    /// Takes the answers that are there and gives each to its handler, which may make calls.
    ///
    /// - Throws: `ClientError` when the connection has ended, or what a handler throws.
    package func receive() throws {
        while let reply = try connection.receiveNow() {
            let handler = handlers.removeFirst()
            try handler(PolledConnection.answer(of: reply))
        }
    }

    private static func answer(of reply: Reply) -> Result<JSONValue, ClientError> {
        Result { () throws(ClientError) in
            guard let parameters = try RetryClient.result(of: reply) else {
                throw ClientError(misunderstanding: "it has no parameters")
            }
            return parameters
        }
    }
}
