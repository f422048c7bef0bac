import Glibc

/// Who this process is.
package enum Credentials {
    package static var effectiveUser: UInt32 { geteuid() }
    package static var effectiveGroup: UInt32 { getegid() }
}

/// This program as a whole.
package enum Program {
    /// Ends this process at once, exit(3).
    package static func end(_ code: Int32) -> Never {
        exit(code)
    }
}
