/// Names of what getaddrinfo returns. glibc counts down from -1, Darwin up from 1.
enum AddressInfoNames {
    static func name(of number: Int64, on platform: Platform) -> StaticString? {
        let names =
            switch platform {
            case .linux: glibc
            case .darwin: darwin
            }
        let index = platform == .linux ? 0 &- number : number
        guard index > 0, index <= names.count else { return nil }
        return names[Int(index) - 1]
    }

    /// From -1 down (glibc, netdb.h).
    private static let glibc: [StaticString] = [
        "EAI_BADFLAGS", "EAI_NONAME", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_FAMILY",
        "EAI_SOCKTYPE", "EAI_SERVICE", "EAI_ADDRFAMILY", "EAI_MEMORY", "EAI_SYSTEM",
        "EAI_OVERFLOW",
    ]

    /// From 1 up (Darwin, netdb.h).
    private static let darwin: [StaticString] = [
        "EAI_ADDRFAMILY", "EAI_AGAIN", "EAI_BADFLAGS", "EAI_FAIL", "EAI_FAMILY", "EAI_MEMORY",
        "EAI_NODATA", "EAI_NONAME", "EAI_SERVICE", "EAI_SOCKTYPE", "EAI_SYSTEM", "EAI_BADHINTS",
        "EAI_PROTOCOL", "EAI_OVERFLOW",
    ]
}

/// Names of signals, as Linux numbers them on most processors.
enum SignalNames {
    static func name(of number: Int64) -> StaticString? {
        guard number > 0, number <= names.count else { return nil }
        return names[Int(number) - 1]
    }

    /// `SIGTERM` of `SIGTERM`, `TERM` or `term`.
    static func name(spelt text: UnsafeBufferPointer<UInt8>) -> StaticString? {
        for name in names {
            let full = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
            let short = UnsafeBufferPointer(rebasing: full[3...])
            if TextMatch.isEqualIgnoringCase(text, full)
                || TextMatch.isEqualIgnoringCase(text, short)
            {
                return name
            }
        }
        return nil
    }

    /// From 1 up (signal(7)).
    private static let names: [StaticString] = [
        "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE",
        "SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT",
        "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU",
        "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
    ]
}
