import JSON
import Testing

@testable import RetryDaemon

/// What the store keeps as attributes, read without parsing it.
@Suite
struct JSONWriterOperationsTests {
    private func tags(_ attributes: String) -> String {
        Array(attributes.utf8).withUnsafeBytes { bytes in
            String(decoding: Attributes.tags(in: bytes), as: UTF8.self)
        }
    }

    private func toldAt(_ attributes: String) -> Int64? {
        Array(attributes.utf8).withUnsafeBytes { Attributes.toldAt(in: $0) }
    }

    @Test(arguments: [
        (#"{"at_usec":17,"tags":["a","b"]}"#, #"["a","b"]"#),
        (#"{"at_usec":17,"tags":[]}"#, "[]"),
        (#"{"at_usec":17,"tags":["\"tags\":","}"]}"#, #"["\"tags\":","}"]"#),
        (#"{"at_usec":17}"#, "[]"),
        ("", "[]"),
    ])
    func tagsAreTheLastMember(attributes: String, expected: String) {
        #expect(tags(attributes) == expected)
    }

    @Test
    func theTimeIsTheFirstNumber() {
        #expect(toldAt(#"{"at_usec":1700000000000000,"tags":["9"]}"#) == 1_700_000_000_000_000)
        #expect(toldAt("") == nil)
        #expect(toldAt("{}") == nil)
    }
}
