import CLinux
import Glibc

/// A thread of the system with a name, as `top -H` and gdb show it.
///
/// All signals are blocked in it: they are the main thread's, through its loop.
package final class Thread {
    private let handle: pthread_t
    private var isJoined = false

    private init(handle: pthread_t) {
        self.handle = handle
    }

    deinit {
        if !isJoined { pthread_detach(handle) }
    }

    /// Carries the closure into the thread.
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts a thread that runs the body and ends.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes are shown.
    ///   - stackBytes: the size of its stack; nil takes the system's default (8 MiB of address
    ///     space, used as far as touched).
    package static func spawn(
        name: String, stackBytes: Int? = nil, body: @escaping @Sendable () -> Void
    ) throws(SystemError) -> Thread {
        var attributes = pthread_attr_t()
        try check(pthread_attr_init(&attributes))
        defer { pthread_attr_destroy(&attributes) }
        if let stackBytes { try check(pthread_attr_setstacksize(&attributes, stackBytes)) }

        // The new thread inherits the mask, so no signal can reach it before it has set its own.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        try check(pthread_sigmask(SIG_SETMASK, &all, &before))
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var handle = pthread_t()
        let result = pthread_create(
            &handle, &attributes,
            { argument in
                guard let argument else { preconditionFailure("a thread has its start") }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                CLinux_set_thread_name(start.name)
                start.body()
                return nil
            }, start.toOpaque())
        if result != 0 {
            start.release()
            try check(result)
        }
        return Thread(handle: handle)
    }

    /// Waits until the thread has ended. Once.
    package func join() {
        precondition(!isJoined, "a thread is joined once")
        isJoined = true
        let result = pthread_join(handle, nil)
        precondition(result == 0, "pthread_join: \(SystemError.reason(result))")
    }

    /// pthread functions return the error instead of setting errno.
    private static func check(_ result: Int32) throws(SystemError) {
        if result != 0 { throw SystemError(code: result, operation: "start a thread") }
    }
}
