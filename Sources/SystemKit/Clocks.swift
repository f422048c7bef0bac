import Glibc

/// The kernel's clocks in microseconds. clock_gettime(2) costs no system call for these.
package enum Clocks {
    /// Time since boot, suspends included. Deadlines are kept on it: a suspended laptop's retry is
    /// due when it wakes up, and no step of the wall clock moves it.
    package static func boottimeUsec() -> Int64 { read(CLOCK_BOOTTIME) }

    /// Time since boot without suspends: time-outs of calls, and systemd's MONOTONIC_USEC=.
    package static func monotonicUsec() -> Int64 { read(CLOCK_MONOTONIC) }

    /// Time since 1970-01-01 00:00 UTC by the wall clock, which can be stepped.
    package static func realtimeUsec() -> Int64 { read(CLOCK_REALTIME) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        let result = clock_gettime(clock, &time)
        precondition(result == 0, "clock_gettime: the kernel has every clock asked for here")
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
