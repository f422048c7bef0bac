import JSON
import Testing

@Suite struct Base64Tests {
    private func encode(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { Base64.encode($0) }
    }

    private func decode(_ text: [UInt8]) -> [UInt8]? {
        text.withUnsafeBufferPointer { Base64.decode($0) }
    }

    /// The vectors of RFC 4648 section 10, and the two characters beside letters and digits.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"), ("~~~???", "fn5+Pz8/"),
    ])
    func knownTexts(text: String, encoded: String) {
        #expect(encode(Array(text.utf8)) == Array(encoded.utf8))
        #expect(decode(Array(encoded.utf8)) == Array(text.utf8))
    }

    @Test func everyByteComesBack() {
        for length in [0, 1, 2, 3, 255, 256] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            #expect(decode(encode(bytes)) == bytes)
        }
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "=Zg=", "Z=g=", "====", "Zm9v====", "Zm9 v===", "Zm9v\n",
        "Zm-_", "Zg==Zg==",
    ])
    func refuses(text: String) {
        #expect(decode(Array(text.utf8)) == nil)
    }
}
