import Testing

@testable import RetryDaemon

@Suite
struct UnitPayloadTests {
    @Test(arguments: [
        ("backup.service", true), ("getty@tty1.service", true), ("dev-sda\\x2d1.device", true),
        ("backup", false), ("a b.service", false), ("../x.service", false), ("", false),
        (String(repeating: "a", count: 248) + ".service", false),
    ])
    func aUnitHasANameWithASuffix(name: String, isName: Bool) {
        #expect(UnitPayload.isName(Array(name.utf8)) == isName)
    }
}
