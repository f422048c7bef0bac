import Testing

@testable import SystemKit

@Suite struct BusTests {
    @Test func whatPassesIsToldFromARefusal() {
        func passes(_ name: String) -> Bool { BusError(name: name, message: "").mayPass }
        let bus = "org.freedesktop.DBus.Error."
        for name in ["NoReply", "Disconnected", "ServiceUnknown", "LimitsExceeded", "TimedOut"] {
            #expect(passes(bus + name), "\(name)")
        }
        for name in ["InvalidArgs", "AccessDenied", "UnknownMethod", "Failed", ""] {
            #expect(!passes(bus + name), "\(name)")
        }
        #expect(!passes("org.freedesktop.systemd1.NoSuchUnit"))
        #expect(!passes("NoReply"))
    }
}
