import RetryModel
import Testing

@testable import RetryStore

@Suite
struct BodyPartsTests {
    static let full: Body = {
        var body = Body()
        body.form = .bytes
        body.key = "invoice 7 \u{e9}"
        body.eventID = "7f0c"
        body.attributes = #"{"tags":{"a":"b"}}"#
        body.payload = [0, 255, 10, 34]
        body.failure = #"{"http":{"status":503}}"#
        body.decision = #"{"disposition":"retry"}"#
        return body
    }()

    private func packed(_ bodies: [(Int64, Body)]) -> [UInt8] {
        var buffer = ByteBuffer()
        for (id, body) in bodies {
            body.withParts { parts in
                let length = BodyEntry.length(of: parts)
                buffer.append(length: length) { base in
                    BodyEntry.write(OperationID(rawValue: id), parts, length: length, to: base)
                }
            }
        }
        return buffer.withBytes { Array($0) }
    }

    private func unpacked(_ bytes: [UInt8]) throws -> [Int64: Body] {
        try bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            var bodies: [Int64: Body] = [:]
            while !reader.isAtEnd {
                let (id, parts) = try BodyEntry.read(&reader)
                bodies[id.rawValue] = Body(parts)
            }
            return bodies
        }
    }

    @Test
    func everyPartComesBack() throws {
        let bytes = packed([(.max, BodyPartsTests.full), (1, Body()), (2, Body("x"))])
        #expect(
            try unpacked(bytes) == [.max: BodyPartsTests.full, 1: Body(), 2: Body("x")])
    }

    @Test(arguments: PayloadForm.allCases)
    func formsComeBack(form: PayloadForm) throws {
        var body = Body()
        body.form = form
        #expect(try unpacked(packed([(1, body)])) == [1: body])
    }

    @Test
    func largestPartsComeBack() throws {
        var body = Body()
        body.form = .bytes
        body.key = String(repeating: "k", count: Limits.keyBytesMax)
        body.eventID = String(repeating: "e", count: Limits.failureBytesMax)
        body.payload = [UInt8](repeating: 7, count: Limits.payloadBytesMax)
        body.failure = String(repeating: "f", count: Limits.failureBytesMax)
        #expect(try unpacked(packed([(1, body)])) == [1: body])
    }

    @Test
    func whatIsCutShortIsRefused() {
        let bytes = packed([(3, BodyPartsTests.full)])
        for count in 1..<bytes.count {
            #expect(throws: ByteReader.Malformed.self) { try unpacked(Array(bytes[..<count])) }
        }
    }

    @Test(arguments: [(12, 9, "version"), (13, 4, "form"), (22, 255, "length of attributes")])
    func whatIsNotKnownIsRefused(offset: Int, value: UInt8, what: String) {
        var bytes = packed([(3, BodyPartsTests.full)])
        bytes[offset] = value
        #expect(throws: ByteReader.Malformed.self, "\(what)") { try unpacked(bytes) }
    }

    @Test
    func entriesAreTakenWhole() throws {
        let first = packed([(3, BodyPartsTests.full)])
        let second = packed([(4, Body("x"))])
        try (first + second).withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            let one = try #require(try BodyEntry.next(&reader))
            let two = try #require(try BodyEntry.next(&reader))
            #expect(one.id.rawValue == 3)
            #expect(Array(one.entry) == first)
            #expect(two.id.rawValue == 4)
            #expect(Array(two.entry) == second)
            #expect(try BodyEntry.next(&reader) == nil)
        }
    }
}
