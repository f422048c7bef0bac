import Glibc

/// A file descriptor with one owner, closed when the owner ends.
package struct OwnedFD: ~Copyable, Sendable {
    /// The number the kernel knows it by. Valid as long as this value lives.
    package let rawValue: Int32

    /// Takes over a descriptor that nobody else will close.
    package init(adopting rawValue: Int32) {
        precondition(rawValue >= 0, "a file descriptor is not negative")
        self.rawValue = rawValue
    }

    deinit {
        // close(2): the descriptor is gone even after EINTR and EIO; calling again could close
        // somebody else's. EBADF means that there were two owners.
        if close(rawValue) != 0, errno == EBADF {
            fatalError("close \(rawValue): EBADF: a file descriptor had two owners")
        }
    }

    /// Gives the descriptor away unclosed; the receiver closes it.
    package consuming func release() -> Int32 {
        let rawValue = rawValue
        discard self
        return rawValue
    }
}
