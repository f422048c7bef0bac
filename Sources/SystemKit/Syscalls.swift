import Glibc

/// What a call on a descriptor gave. Would-block is a value because it is no failure: the loop
/// comes back when the descriptor is ready.
package enum IOResult: Hashable, Sendable {
    /// So many bytes, at least 1.
    case count(Int)
    case wouldBlock
    /// The peer or the file has no more bytes. Never the result of a write.
    case end
}

/// The calls to the kernel that more than one file of this target needs.
///
/// Each reads errno in the scope of the call itself, before Swift can release anything: a release
/// may call free(3), and older C libraries let that overwrite errno. Interrupted calls (EINTR)
/// are made again. EBADF and EFAULT can only mean a bug here and trap.
package enum Syscalls {
    /// Makes a call until no signal interrupts it.
    ///
    /// - Returns: its value, and errno if the value is negative.
    @inline(__always)
    static func uninterrupted<Number: SignedInteger>(
        _ call: () -> Number
    ) -> (value: Number, code: Int32) {
        while true {
            let value = call()
            if value >= 0 { return (value, 0) }
            let code = errno
            if code != EINTR { return (value, code) }
        }
    }

    /// Makes a call that has no value for would-block.
    @inline(__always)
    @discardableResult
    static func checked<Number: SignedInteger>(
        _ operation: @autoclosure () -> String, _ call: () -> Number
    ) throws(SystemError) -> Number {
        let (value, code) = uninterrupted(call)
        if value < 0 { throw failure(code, operation()) }
        return value
    }

    /// The error for a code, unless the code proves a bug in this program.
    @inline(never)
    static func failure(_ code: Int32, _ operation: String) -> SystemError {
        if code == EBADF || code == EFAULT {
            fatalError("\(operation): \(SystemError.reason(code)): used after it was closed")
        }
        return SystemError(code: code, operation: operation)
    }

    /// The error for a negative result of libsystemd, which returns -errno.
    @inline(never)
    static func libraryFailure(_ result: Int32, _ operation: String) -> SystemError {
        failure(-result, operation)
    }
}
