package import Glibc

/// A value that one thread at a time can see.
///
/// It is a pthread mutex because ThreadSanitizer knows those: it takes each use of
/// `Synchronization.Mutex` on Linux for a race and so finds no real one.
///
/// It is Sendable although it holds pointers: they never change, the value is reached in
/// `withLock` only, and as `Value` is Sendable, what leaves it may be used by any thread.
package struct Lock<Value: Sendable>: ~Copyable, @unchecked Sendable {
    @usableFromInline
    let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline
    let value: UnsafeMutablePointer<Value>

    package init(_ initial: Value) {
        mutex = .allocate(capacity: 1)
        value = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        value.initialize(to: initial)
        let result = pthread_mutex_init(mutex, nil)
        precondition(result == 0, "a mutex without attributes needs nothing that could fail")
    }

    deinit {
        let result = pthread_mutex_destroy(mutex)
        precondition(result == 0, "the lock ends while it is held")
        value.deinitialize(count: 1)
        value.deallocate()
        mutex.deallocate()
    }

    /// Runs the body while no other thread runs one. The body is short and waits for nothing; it
    /// does not take the same lock.
    @inlinable
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value.pointee)
    }
}
