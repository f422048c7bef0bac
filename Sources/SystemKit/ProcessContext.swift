import Glibc

/// The variables this process was started with.
package enum Environment {
    /// A variable's value; nil if it is not set.
    package static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}

/// The words this process was started with.
package enum Arguments {
    /// The program's name and what follows it.
    package static var all: [String] { CommandLine.arguments }
}

/// What is at the other end of a descriptor, if it is a terminal.
package enum Terminal {
    package static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// The width of a terminal; nil if it is none or does not say.
    package static func columns(_ descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

/// Standard output and standard error.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    package var fileDescriptor: Int32 { rawValue }

    /// Writes everything; waits where the stream is non-blocking and full.
    ///
    /// - Throws: EPIPE when the reader has gone, if SIGPIPE is ignored; EBADF when the process was
    ///   started with the stream closed.
    package func write(_ text: String) throws(SystemError) {
        try Array(text.utf8).span.withUnsafeBytes { (bytes) throws(SystemError) in
            try write(bytes)
        }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let (count, code) = Syscalls.uninterrupted {
                Glibc.write(rawValue, piece.baseAddress, piece.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if code == EAGAIN {
                _ = try Syscalls.wait(for: rawValue, .writable, timeoutMs: nil)
            } else {
                let name = self == .output ? "standard output" : "standard error"
                throw SystemError(code: code, operation: "write to \(name)")
            }
        }
    }
}
