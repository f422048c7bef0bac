import CLinux
import Glibc

/// Signals as messages on a descriptor (signalfd(2)), with who sent them.
///
/// The signals must be blocked in every thread (`ProcessSignal.block`).
package struct SignalQueue: ~Copyable {
    /// A signal that came.
    package struct Arrival: Hashable, Sendable {
        package let signal: ProcessSignal
        /// The kernel sent it, as for Ctrl-C, which the terminal sends to every process of its
        /// foreground group.
        package let isFromKernel: Bool
    }

    private let descriptor: OwnedFD

    package init(_ signals: [ProcessSignal]) throws(SystemError) {
        let numbers = signals.map(\.rawValue)
        let opened = try Syscalls.checked("signalfd") { CLinux_signalfd(numbers, numbers.count) }
        descriptor = OwnedFD(adopting: opened)
    }

    /// Readable when there is an arrival.
    package var fileDescriptor: Int32 { descriptor.rawValue }

    /// The next arrival, nil when there is none.
    package func next() throws(SystemError) -> Arrival? {
        var arrival = CLinux_SignalArrival()
        let (result, code) = Syscalls.uninterrupted {
            CLinux_read_signal(descriptor.rawValue, &arrival)
        }
        if result < 0 {
            if code == EAGAIN { return nil }
            throw Syscalls.failure(code, "read signals")
        }
        return Arrival(
            signal: ProcessSignal(rawValue: arrival.signal), isFromKernel: arrival.sender == 0)
    }
}

extension ProcessSignal {
    /// "SIGTERM"; numbers without a name of their own read "SIGRTMIN+3" or "signal 99".
    package var name: String {
        if let name = CLinux_signal_name(rawValue) { return "SIG\(String(cString: name))" }
        let first = Int32(__libc_current_sigrtmin())
        return rawValue >= first && rawValue <= Int32(__libc_current_sigrtmax())
            ? "SIGRTMIN+\(rawValue - first)" : "signal \(rawValue)"
    }

    /// By its name, with or without "SIG", in either case, or by its number.
    package init?(name: String) {
        if let number = Int32(name) {
            guard (1...64).contains(number) else { return nil }
            self.init(rawValue: number)
            return
        }
        let upper = name.uppercased()
        for number in 1...64 as ClosedRange<Int32> {
            let signal = ProcessSignal(rawValue: number)
            if signal.name == upper || signal.name == "SIG\(upper)" {
                self = signal
                return
            }
        }
        return nil
    }
}
