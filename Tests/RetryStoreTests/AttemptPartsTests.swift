import RetryModel
import Testing

@testable import RetryStore

@Suite
struct AttemptPartsTests {
    static let full: Attempt = {
        var attempt = Attempt(failure: #"{"errno":{"name":"ETIMEDOUT"}}"#)
        attempt.outcome = 200
        attempt.at = WallTime(usec: .min)
        attempt.user = .max
        attempt.eventID = "e"
        attempt.decision = "{}"
        return attempt
    }()

    private func packed(_ attempt: Attempt) -> [UInt8] {
        attempt.withParts { parts in
            var buffer = ByteBuffer()
            PackedAttempt.append(parts, to: &buffer)
            #expect(buffer.count == PackedAttempt.length(of: parts))
            return buffer.withBytes { Array($0) }
        }
    }

    private func unpacked(_ bytes: [UInt8]) throws -> Attempt {
        try bytes.withUnsafeBytes { Attempt(try PackedAttempt.read($0)) }
    }

    @Test
    func everyPartComesBack() throws {
        #expect(try unpacked(packed(AttemptPartsTests.full)) == AttemptPartsTests.full)
        #expect(try unpacked(packed(Attempt(failure: ""))) == Attempt(failure: ""))
    }

    @Test
    func whatIsCutShortOrTooLongIsRefused() {
        let bytes = packed(AttemptPartsTests.full)
        for count in 0..<bytes.count {
            #expect(throws: ByteReader.Malformed.self) { try unpacked(Array(bytes[..<count])) }
        }
        #expect(throws: ByteReader.Malformed.self) { try unpacked(bytes + [0]) }
        #expect(throws: ByteReader.Malformed.self) { try unpacked([2] + bytes.dropFirst()) }
    }
}
