import RetryCLI
import Support
import SystemKit

/// One run of `retryctl` in this process.
struct Tool {
    var code: Int32
    /// Standard output.
    var output: String
    /// Standard error.
    var messages: String

    var outputLines: [String] {
        output.split(separator: "\n").map(String.init)
    }

    init(_ arguments: [String], socket: String = "/nonexistent/socket", columns: Int? = nil) {
        let console = Console(capturingWithColumns: columns)
        code = CommandLineTool.run(["--socket", socket] + arguments, console: console)
        output = String(decoding: console.captured, as: UTF8.self)
        messages = String(decoding: console.capturedMessages, as: UTF8.self)
    }
}

/// A fake daemon in a directory of its own.
final class Daemon: Sendable {
    private let directory: TemporaryDirectory
    private let peer: FakePeer

    init(_ handler: @escaping @Sendable (FakePeer.Request) -> [FakePeer.Answer]) throws {
        directory = try TemporaryDirectory()
        peer = try FakePeer(path: "\(directory.path)/socket", handler: handler)
    }

    /// Always the same answer.
    convenience init(answering json: String) throws {
        try self.init { _ in [.reply(json)] }
    }

    deinit {
        peer.stop()
    }

    var requests: [FakePeer.Request] { peer.requests }
    /// A place for files of the test.
    var path: String { directory.path }

    func run(_ arguments: String..., columns: Int? = nil) -> Tool {
        Tool(arguments, socket: peer.path, columns: columns)
    }
}
