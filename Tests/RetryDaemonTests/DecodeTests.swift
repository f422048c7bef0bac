import JSON
import RetryModel
import Testing
import Varlink

@testable import RetryDaemon

/// Parameters: what is taken, and how the rest is refused by its name.
@Suite
struct DecodeTests {
    private func refusal(
        _ json: String, _ body: (JSONValue.Member) throws -> Void
    ) throws -> String {
        try Parsing.member(json) { member in try Parsing.refusal { try body(member) } }
    }

    @Test
    func nullMeansAbsent() throws {
        try Parsing.member(#"{"a": null}"#) { member throws in
            #expect(try Decode.text(member) == nil)
            #expect(try Decode.name(member) == nil)
            #expect(try Decode.key(member) == nil)
            #expect(try Decode.integer(member, 0...1) == nil)
            #expect(try Decode.bool(member) == nil)
            #expect(try Decode.object(member) == nil)
            #expect(try Decode.array(member) == nil)
            #expect(try Decode.strings(member, countMax: 1) == nil)
            #expect(try Decode.word(member, KeyMode.self) { $0.name } == nil)
            #expect(try Decode.operationID(member) == nil)
            #expect(try Decode.wallTime(member) == nil)
        }
    }

    @Test(arguments: [
        (#"{"n": ""}"#, "n: it is empty"),
        (#"{"n": "a\nb"}"#, "n: it holds control characters"),
        (#"{"n": "a\u007f"}"#, "n: it holds control characters"),
        (#"{"n": "a\u0085"}"#, "n: it holds control characters"),
        (#"{"n": 7}"#, "n: a string is needed"),
        (#"{"n": ["a"]}"#, "n: a string is needed"),
    ])
    func namesThatPeopleCannotReadAreRefused(json: String, reason: String) throws {
        #expect(try refusal(json) { _ = try Decode.name($0) } == reason)
    }

    @Test
    func namesMayHoldEveryLetter() throws {
        // U+00A0 to U+00BF begin with the same byte as the control characters above U+007F.
        try Parsing.member(#"{"n": "Ärger ¡\u00a0 日本"}"#) { member throws in
            #expect(try Decode.name(member) == "Ärger ¡\u{A0} 日本")
        }
    }

    @Test
    func lengthsAreOfBytes() throws {
        let fits = String(repeating: "ä", count: 127) + "a"
        try Parsing.member(#"{"n": "\#(fits)"}"#) { member throws in
            #expect(try Decode.name(member) == fits)
        }
        #expect(
            try refusal(#"{"n": "\#(fits)a"}"#) { _ = try Decode.name($0) }
                == "n: longer than 255 bytes")
        let key = String(repeating: "k", count: 512)
        try Parsing.member(#"{"k": "\#(key)"}"#) { member throws in
            #expect(try Decode.key(member)?.string == key)
        }
        #expect(
            try refusal(#"{"k": "\#(key)k"}"#) { _ = try Decode.key($0) }
                == "k: longer than 512 bytes")
        #expect(try refusal(#"{"k": ""}"#) { _ = try Decode.key($0) } == "k: it is empty")
    }

    @Test(arguments: [
        ("5", "a: from 1 to 4, not 5"), ("0", "a: from 1 to 4, not 0"),
        ("2.0", "a: a whole number is needed"), ("\"2\"", "a: a whole number is needed"),
        ("18446744073709551615", "a: a whole number is needed"),
        ("true", "a: a whole number is needed"),
    ])
    func numbersOutsideAreRefused(number: String, reason: String) throws {
        #expect(try refusal(#"{"a": \#(number)}"#) { _ = try Decode.integer($0, 1...4) } == reason)
    }

    @Test
    func numbersInsideAreTaken() throws {
        try Parsing.member(#"{"a": 4}"#) { member throws in
            #expect(try Decode.integer(member, 1...4) == 4)
        }
        try Parsing.member(#"{"a": 9223372036854775807}"#) { member throws in
            #expect(try Decode.operationID(member) == OperationID(rawValue: .max))
        }
        try Parsing.member(#"{"a": 4294967295}"#) { member throws in
            #expect(try Decode.leaseToken(member) == LeaseToken(rawValue: .max))
        }
        try Parsing.member(#"{"a": 1500}"#) { member throws in
            #expect(try Decode.span(member, .zero ... .hours(1)) == .milliseconds(1_500))
        }
    }

    @Test
    func wordsAreListedWhenNoneFits() throws {
        try Parsing.member(#"{"m": "replace"}"#) { member throws in
            #expect(try Decode.word(member, KeyMode.self) { $0.name } == .replace)
        }
        let reason = try refusal(#"{"m": "Replace"}"#) { member in
            _ = try Decode.word(member, KeyMode.self) { $0.name }
        }
        #expect(reason == "m: one of keep, replace, coalesce is needed")
    }

    @Test
    func listsOfStringsAreBounded() throws {
        try Parsing.member(#"{"t": ["a", ""]}"#) { member throws in
            #expect(try Decode.strings(member, countMax: 2) == ["a", ""])
        }
        #expect(
            try refusal(#"{"t": ["a", "b"]}"#) { _ = try Decode.strings($0, countMax: 1) }
                == "t: more than 1")
        #expect(
            try refusal(#"{"t": ["a", 1]}"#) { _ = try Decode.strings($0, countMax: 9) }
                == "t: an array of strings of at most 255 bytes is needed")
        #expect(
            try refusal(#"{"t": {}}"#) { _ = try Decode.strings($0, countMax: 9) }
                == "t: an array is needed")
    }

    @Test
    func whatIsUnknownOrMissingIsNamed() throws {
        try Parsing.member(#"{"qeue": 1}"#) { member throws in
            #expect(
                Decode.unknown(member)
                    == .invalidParameter("qeue", reason: "no such parameter"))
        }
        #expect(Decode.missing("id") == .invalidParameter("id", reason: "it is needed"))
    }
}
