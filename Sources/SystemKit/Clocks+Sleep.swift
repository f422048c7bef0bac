import Glibc

extension Clocks {
    /// Waits that long, whatever signals come.
    package static func sleep(ms: Int64) {
        let wakeUsec = monotonicUsec() + ms * 1_000
        while true {
            let leftUsec = wakeUsec - monotonicUsec()
            if leftUsec <= 0 { return }
            var left = timespec(
                tv_sec: Int(leftUsec / 1_000_000), tv_nsec: Int(leftUsec % 1_000_000) * 1_000)
            nanosleep(&left, nil)
        }
    }
}
