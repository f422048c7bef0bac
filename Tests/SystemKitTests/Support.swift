import Glibc
import Testing

@testable import SystemKit

/// A directory of a test's own, removed with all that is in it.
struct TemporaryDirectory: ~Copyable {
    let path: String

    init() throws {
        let pattern = "/tmp/SystemKitTests." + String(repeating: "X", count: 6)
        var template = Array(pattern.utf8CString)
        path = try #require(mkdtemp(&template).map { String(cString: $0) })
    }

    deinit {
        try? TemporaryDirectory.removeAll(path)
    }

    private static func removeAll(_ path: String) throws {
        for name in try Files.list(path) {
            let inner = "\(path)/\(name)"
            if try Files.status(inner, followLinks: false)?.kind == .directory {
                try removeAll(inner)
            } else {
                try Files.remove(inner)
            }
        }
        try Files.removeDirectory(path)
    }
}

/// A program that is started for a test and killed and waited for at its end.
struct Child: ~Copyable {
    let process: Int32

    init(_ arguments: String...) throws {
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        var process: pid_t = 0
        let result = posix_spawnp(&process, arguments[0], nil, nil, pointers, nil)
        try #require(result == 0)
        self.process = process
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }
}

/// The letter in /proc that says what a thread does: "S" sleeps in a call, "Z" has ended.
func threadState(_ thread: Int32) throws -> Character {
    let bytes = try Files.readAll("/proc/\(thread)/stat", bytesMax: 4_096)
    let nameEnd = try #require(bytes.lastIndex(of: UInt8(ascii: ")")))
    return Character(UnicodeScalar(bytes[nameEnd + 2]))
}

/// The two ends of a pipe, for tests that close one of them; the test closes both.
func pipeEnds() throws -> (reader: Int32, writer: Int32) {
    let pipe = try Pipe()
    return (duplicate(pipe.reader.rawValue), duplicate(pipe.writer.rawValue))
}

/// Close-on-exec, unlike dup(2): another test may start a program at any time, and a copy of a
/// pipe's end in it would keep the pipe open.
func duplicate(_ descriptor: Int32) -> Int32 {
    fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
}

/// A connected socket whose other end is closed.
func socketWithoutPeer() throws -> OwnedFD {
    let pair = try UnixSocket.Pair()
    return OwnedFD(adopting: duplicate(pair.left.rawValue))
}

/// The calling thread's number, as it stands in /proc; 0 if /proc cannot be read.
func ownThreadNumber() -> Int32 {
    let bytes = (try? Files.readAll("/proc/thread-self/stat", bytesMax: 4_096)) ?? []
    return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)) ?? 0
}

/// Asks again and again until something is so; fails the test after ten seconds.
func waitUntil(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ isSo: () throws -> Bool
) throws {
    let deadlineUsec = Clocks.monotonicUsec() + 10_000_000
    while try !isSo() {
        guard Clocks.monotonicUsec() < deadlineUsec else {
            Issue.record("\(what): not within ten seconds", sourceLocation: sourceLocation)
            return
        }
        usleep(500)
    }
}

func write(_ text: String, to descriptor: Int32) throws {
    try Files.writeAll(descriptor, Array(text.utf8), name: "test")
}

extension Files {
    static func writeAll(_ descriptor: Int32, _ content: [UInt8], name: String) throws {
        try content.withUnsafeBytes { try writeAll(descriptor, $0, name: name) }
    }
}
