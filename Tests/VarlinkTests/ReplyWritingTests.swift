import JSON
import Testing
import Varlink

@Suite struct ReplyWritingTests {
    @Test func repliesFollowEachOther() {
        var writer = JSONWriter()
        writer.beginReply()
        writer.name("id")
        writer.integer(1)
        writer.endReply(continues: true)
        writer.beginReply()
        writer.endReply()
        writer.beginError("io.retryd.StaleLease")
        writer.name("id")
        writer.integer(9)
        writer.endError()
        #expect(
            shown(writer) == #"{"parameters":{"id":1},"continues":true}|{"parameters":{}}|"#
                + #"{"error":"io.retryd.StaleLease","parameters":{"id":9}}|"#)
    }

    @Test(arguments: [
        (
            ServiceError.interfaceNotFound("a.b"),
            #"{"error":"org.varlink.service.InterfaceNotFound","parameters":{"interface":"a.b"}}|"#
        ),
        (
            .methodNotFound("a.B"),
            #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"a.B"}}|"#
        ),
        (
            .methodNotImplemented("a.B"),
            #"{"error":"org.varlink.service.MethodNotImplemented","parameters":{"method":"a.B"}}|"#
        ),
        (
            .invalidParameter("id", reason: "must be \"positive\""),
            #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"id","#
                + #""reason":"must be \"positive\""}}|"#
        ),
        (
            .permissionDenied,
            #"{"error":"org.varlink.service.PermissionDenied","parameters":{}}|"#
        ),
        (.expectedMore, #"{"error":"org.varlink.service.ExpectedMore","parameters":{}}|"#),
    ])
    func writesErrorsEveryServiceKnows(error: ServiceError, text: String) {
        var writer = JSONWriter()
        writer.error(error)
        #expect(shown(writer) == text)
    }
}
