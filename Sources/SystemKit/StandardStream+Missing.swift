import Glibc

extension StandardStream {
    /// Opens /dev/null in place of each standard stream that the process was started without.
    ///
    /// Else the next file opened becomes one, and what is meant for people ends up in it. Called
    /// before anything is opened.
    package static func openMissing() throws(SystemError) {
        for number in 0...2 as ClosedRange<Int32> where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is taken (open(2)), which is this one.
            let opened = open("/dev/null", O_RDWR)
            let code = errno
            if opened < 0 { throw SystemError(code: code, operation: "open /dev/null") }
            precondition(opened == number, "open takes the lowest free number")
        }
    }
}
