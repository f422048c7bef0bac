import JSON
import Testing
import Varlink

@Suite struct ReplyTests {
    private let parser = JSONParser(lengthMax: 1 << 16, depthMax: 16)

    private func reply(_ text: String) throws -> Reply {
        try Reply(parser.parse(Array(text.utf8)))
    }

    @Test func takesASuccess() throws {
        let reply = try reply(#"{"parameters":{"id":5},"continues":true,"org.example":{}}"#)
        #expect(reply.parameters?["id"]?.integer == 5)
        #expect(reply.continues)
        #expect(reply.error == nil)
    }

    @Test func takesAnError() throws {
        let reply = try reply(#"{"error":"x.Bad","parameters":null,"continues":false}"#)
        #expect(reply.error?.string == "x.Bad")
        #expect(reply.parameters == nil)
    }

    @Test func takesAnEmptyReply() throws {
        let reply = try reply("{}")
        #expect(reply.error == nil)
        #expect(reply.parameters == nil)
        #expect(reply.continues == false)
    }

    @Test(arguments: [
        ("7", ReplyError.notAnObject),
        (#"{"parameters":3}"#, .parametersNotAnObject),
        (#"{"error":3}"#, .errorNotAString),
        (#"{"continues":0}"#, .continuesNotABoolean),
        (#"{"error":"x.Bad","continues":true}"#, .errorContinues),
        (#"{"result":{}}"#, .unknownMember("result")),
    ])
    func refuses(text: String, error: ReplyError) {
        #expect(throws: error) { try reply(text) }
    }
}
