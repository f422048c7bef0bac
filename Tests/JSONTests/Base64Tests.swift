import JSON
import Testing

@Suite struct Base64Tests {
    /// The vectors of RFC 4648 section 10, and the two characters beside letters and digits.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"), ("~~~???", "fn5+Pz8/"),
    ])
    func knownTexts(text: String, encoded: String) {
        #expect(Base64.encode(text.utf8) == Array(encoded.utf8))
        #expect(Base64.decode(encoded.utf8) == Array(text.utf8))
    }

    @Test func everyByteComesBack() {
        for length in [0, 1, 2, 3, 255, 256] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "=Zg=", "Z=g=", "====", "Zm9v====", "Zm9 v===", "Zm9v\n",
        "Zh==", "Zm9=", "Zm-_", "Zg==Zg==",
    ])
    func refuses(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }
}
