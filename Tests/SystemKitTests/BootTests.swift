import Testing

@testable import SystemKit

struct BootTests {
    private let digits = "0123456789abcdef00000000000000ff"

    @Test func readsBothSpellings() throws {
        let id = BootID(high: 0x0123_4567_89AB_CDEF, low: 0xFF)
        #expect(BootID(digits) == id)
        #expect(BootID("01234567-89AB-CDEF-0000-0000000000FF") == id)
        #expect("\(id)" == digits)
    }

    @Test(arguments: ["", "%b", "0123", "0123456789abcdef00000000000000f", "-"])
    func refusesWhatIsNoID(_ text: String) {
        #expect(BootID(text) == nil)
    }

    @Test func refusesOneDigitTooMany() {
        #expect(BootID(digits + "0") == nil)
    }

    @Test func theArgumentComesBeforeTheKernelsFile() throws {
        #expect(try Boot.id(given: digits).description == digits)
        let error = #expect(throws: BootError.self) { try Boot.id(given: "%b") }
        #expect(
            error?.description
                == "boot id \"%b\": not 32 hexadecimal digits; units pass it as %b")
    }

    @Test func theKernelsFileIsRead() throws {
        let bytes = try Files.readAll("/proc/sys/kernel/random/boot_id", bytesMax: 64)
        let text = String(decoding: bytes, as: UTF8.self).filter { $0 != "-" && $0 != "\n" }
        #expect(try Boot.id().description == text)
    }
}
