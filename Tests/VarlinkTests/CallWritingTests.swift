import JSON
import Testing
import Varlink

@Suite struct CallWritingTests {
    @Test func callsFollowEachOther() {
        var writer = JSONWriter()
        writer.beginCall("io.retryd.Why")
        writer.name("id")
        writer.integer(7)
        writer.endCall()
        writer.beginCall("io.retryd.Watch", .more)
        writer.endCall()
        writer.beginCall("io.retryd.Release", .oneway)
        writer.endCall()
        #expect(
            shown(writer) == #"{"method":"io.retryd.Why","parameters":{"id":7}}|"#
                + #"{"method":"io.retryd.Watch","more":true,"parameters":{}}|"#
                + #"{"method":"io.retryd.Release","oneway":true,"parameters":{}}|"#)
    }

    @Test func aCallKnownAtRunTime() {
        var writer = JSONWriter()
        writer.call("org.example.A\"b")
        writer.call("x.Y", .more, parameters: Array(#"{"a": 1}"#.utf8))
        #expect(
            shown(writer) == #"{"method":"org.example.A\"b"}|"#
                + #"{"method":"x.Y","more":true,"parameters":{"a": 1}}|"#)
    }

    @Test func whatIsWrittenIsRead() throws {
        var writer = JSONWriter()
        writer.beginCall("io.retryd.Get", .more)
        writer.name("id")
        writer.integer(-1)
        writer.endCall()
        let parser = JSONParser(lengthMax: 1_000, depthMax: 8)
        let call = try Call(parser.parse(Array(writer.bytes.dropLast())))
        #expect(call.method == "io.retryd.Get")
        #expect(call.more)
        #expect(call.parameters?["id"]?.integer == -1)
    }
}
