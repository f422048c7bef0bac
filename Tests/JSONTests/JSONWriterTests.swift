import JSON
import Testing

@Suite struct JSONWriterTests {
    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func commasStandBetweenMembersAndElements() {
        let text = written { writer in
            writer.beginObject()
            writer.name("a")
            writer.integer(1)
            writer.name("b")
            writer.beginArray()
            writer.null()
            writer.bool(true)
            writer.bool(false)
            writer.literal("x")
            writer.beginObject()
            writer.endObject()
            writer.beginArray()
            writer.endArray()
            writer.raw(Array("[1,2]".utf8))
            writer.raw("3".utf8)
            writer.endArray()
            writer.name("c" as String)
            writer.double(1.5)
            writer.endObject()
        }
        #expect(text == #"{"a":1,"b":[null,true,false,"x",{},[],[1,2],3],"c":1.5}"#)
    }

    @Test(arguments: [
        Int64.min, -1_000_000_007, -100, -99, -10, -9, -1, 0, 1, 9, 10, 11, 99, 100, 101, 999,
        1_000, 1_001, 9_999, 10_000, 123_456_789, 999_999_999_999_999_999,
        1_000_000_000_000_000_000, Int64.max,
    ])
    func integersAreDecimal(number: Int64) {
        #expect(written { $0.integer(number) } == "\(number)")
    }

    @Test func fractionsStayFractionsAndJSONHasNoInfinity() {
        #expect(written { $0.double(2) } == "2.0")
        #expect(written { $0.double(-0.25) } == "-0.25")
        #expect(written { $0.double(1e300) } == "1e+300")
        #expect(written { $0.double(.infinity) } == "null")
        #expect(written { $0.double(.nan) } == "null")
    }

    /// The search for escapes takes eight bytes at a time: each byte is tried at each place.
    @Test func everyByteIsEscapedWhereItMustBe() {
        for length in 1...20 {
            for place in 0..<length {
                for byte in UInt8(0)...127 {
                    var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: length)
                    bytes[place] = byte
                    let text = String(decoding: bytes, as: UTF8.self)
                    let escaped = bytes.map { expectedEscape($0) }.joined()
                    #expect(written { $0.string(text) } == "\"\(escaped)\"")
                }
            }
        }
    }

    private func expectedEscape(_ byte: UInt8) -> String {
        switch byte {
        case 0x22: return #"\""#
        case 0x5C: return #"\\"#
        case 0x0A: return #"\n"#
        case 0x0D: return #"\r"#
        case 0x09: return #"\t"#
        case 0..<0x20:
            let digits = String(byte, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: return String(decoding: [byte], as: UTF8.self)
        }
    }

    @Test func textsOfOtherScriptsStayAsTheyAre() {
        #expect(written { $0.string("Zürich, 東京\"\u{1F600}\n") } == "\"Zürich, 東京\\\"😀\\n\"")
        #expect(written { $0.string("") } == "\"\"")
        #expect(
            written { $0.string(String(repeating: "\u{1}", count: 300)) }
                == "\"" + String(repeating: "\\u0001", count: 300) + "\"")
    }

    @Test func aValueIsWrittenAsItWasRead() throws {
        let text = #"{"a":[1,-2,18446744073709551615,2.5,true,null,"x\"y"],"b":{},"c":{"d":[]}}"#
        let parser = JSONParser(lengthMax: 1_024, depthMax: 8)
        let value = try parser.parse(Array(text.utf8))
        #expect(written { $0.value(value) } == text)
    }

    @Test func restartedWriterBeginsANewText() {
        var writer = JSONWriter()
        writer.beginArray()
        for number in 0..<Int64(1_000) { writer.integer(number) }
        writer.endArray()
        let first = writer
        writer.restart()
        writer.literal("b")
        writer.endText(terminator: 0)
        #expect(writer.bytes == Array("\"b\"".utf8) + [0])
        #expect(writer.count == 4)
        // A copy keeps its text.
        #expect(first.count == first.bytes.count && first.bytes.first == UInt8(ascii: "["))
        writer.withBytes { bytes in #expect(bytes.elementsEqual(writer.bytes)) }
    }
}
