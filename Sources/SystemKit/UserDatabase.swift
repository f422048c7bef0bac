import Glibc

/// A user of the host.
package struct User: Hashable, Sendable {
    package let name: String
    package let id: UInt32
    /// The main group.
    package let group: UInt32
    package let home: String
    package let shell: String
}

/// The users and groups of the host by the name service switch, so LDAP and systemd's users are
/// found too. A look-up can read files and ask other processes.
package enum UserDatabase {
    /// - Returns: nil if there is no such user.
    package static func user(id: UInt32) throws(SystemError) -> User? {
        try lookUp("look up user \(id)") { entry, buffer, size, result in
            getpwuid_r(id, entry, buffer, size, result)
        }
    }

    /// - Returns: nil if there is no such user.
    package static func user(name: String) throws(SystemError) -> User? {
        try lookUp("look up user \(name)") { entry, buffer, size, result in
            getpwnam_r(name, entry, buffer, size, result)
        }
    }

    /// A group's number.
    ///
    /// - Returns: nil if there is no such group.
    package static func groupID(name: String) throws(SystemError) -> UInt32? {
        var entry = group()
        return try withGrowingBuffer("look up group \(name)") { buffer, size in
            var result: UnsafeMutablePointer<group>?
            let code = getgrnam_r(name, &entry, buffer, size, &result)
            return (code, result.map { $0.pointee.gr_gid })
        }
    }

    /// All groups a user is in, the given main group included.
    package static func groups(
        ofUser name: String, mainGroup: UInt32
    ) throws(SystemError) -> [UInt32] {
        var count: Int32 = 64
        while true {
            var groups = [gid_t](repeating: 0, count: Int(count))
            let room = count
            // getgrouplist(3) gives the number there are when there is too little room.
            if getgrouplist(name, mainGroup, &groups, &count) >= 0 {
                return Array(groups.prefix(Int(count)))
            }
            guard count > room else {
                throw SystemError(code: ENOMEM, operation: "look up the groups of \(name)")
            }
        }
    }

    private static func lookUp(
        _ operation: String,
        _ call: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        ) -> Int32
    ) throws(SystemError) -> User? {
        var entry = passwd()
        return try withGrowingBuffer(operation) { buffer, size in
            var result: UnsafeMutablePointer<passwd>?
            let code = call(&entry, buffer, size, &result)
            return (code, result.map { User($0.pointee) })
        }
    }

    /// Calls with more and more room for the strings of an entry, as getpwnam_r(3) wants it.
    private static func withGrowingBuffer<Value>(
        _ operation: String, _ call: (UnsafeMutablePointer<CChar>, Int) -> (Int32, Value?)
    ) throws(SystemError) -> Value? {
        var size = 1_024
        while true {
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            defer { buffer.deallocate() }
            let (code, value) = call(buffer, size)
            switch code {
            case 0: return value
            // getpwnam_r(3), ERRORS: these too can mean that the name was not found.
            case ENOENT, ESRCH: return nil
            case EINTR: continue
            case ERANGE where size < 1 << 20: size *= 4
            default: throw Syscalls.failure(code, operation)
            }
        }
    }
}

extension User {
    fileprivate init(_ entry: passwd) {
        func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String {
            pointer.map { String(cString: $0) } ?? ""
        }
        self.init(
            name: text(entry.pw_name), id: entry.pw_uid, group: entry.pw_gid,
            home: text(entry.pw_dir), shell: text(entry.pw_shell))
    }
}
