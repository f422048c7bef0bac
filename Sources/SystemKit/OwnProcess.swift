import Glibc

/// What this process is and runs with, as a command it starts inherits it.
package enum OwnProcess {
    package static var id: Int32 { getpid() }
    package static var userID: UInt32 { getuid() }

    /// - Throws: ENOENT when the directory was removed, EILSEQ when its name is not UTF-8.
    package static func workingDirectory() throws(SystemError) -> String {
        guard let path = getcwd(nil, 0) else {
            throw SystemError(code: errno, operation: "find the working directory")
        }
        defer { free(path) }
        guard let text = String(validatingCString: path) else {
            throw SystemError(code: EILSEQ, operation: "take the working directory's name as UTF-8")
        }
        return text
    }

    /// File mode bits that new files do not get. Reading it means setting it twice (umask(2)), so
    /// no other thread may make files meanwhile.
    package static func fileCreationMask() -> UInt32 {
        let mask = umask(0o077)
        umask(mask)
        return mask
    }

    /// The arguments without the program's name, nil in place of one that is not UTF-8.
    package static var arguments: [String?] {
        let count = Int(CommandLine.argc)
        return (1..<max(1, count)).map { index in
            CommandLine.unsafeArgv[index].flatMap { String(validatingCString: $0) }
        }
    }
}

extension Environment {
    /// All variables as "NAME=value". One that is not UTF-8 is nil.
    package static var all: [String?] {
        var entries: [String?] = []
        var entry = environ
        while let text = entry.pointee {
            entries.append(String(validatingCString: text))
            entry += 1
        }
        return entries
    }
}

extension ProcessSignal {
    /// Ends what `block` began. Signals that came meanwhile and were not taken take effect now.
    package static func unblock(_ signals: [ProcessSignal]) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal.rawValue) }
        let result = pthread_sigmask(SIG_UNBLOCK, &set, nil)
        precondition(result == 0, "pthread_sigmask: \(SystemError.reason(result))")
    }
}
