import JSON
import Testing
import Varlink

@Suite struct CallTests {
    private let parser = JSONParser(lengthMax: 1 << 16, depthMax: 16)

    private func call(_ text: String) throws -> Call {
        try Call(parser.parse(Array(text.utf8)))
    }

    @Test func takesTheShortestCall() throws {
        let call = try call(#"{"method":"org.example.Ping"}"#)
        #expect(call.method.string == "org.example.Ping")
        #expect(call.parameters == nil)
        #expect(call.oneway == false)
        #expect(call.more == false)
        #expect(call.upgrade == false)
        #expect(call.interface == "org.example")
    }

    @Test func takesParametersAndFlags() throws {
        let call = try call(
            #" { "more" : true, "parameters" : {"a":[1]}, "method" : "x.Y", "oneway":null } "#)
        #expect(call.more)
        #expect(call.oneway == false)
        #expect(call.parameters?["a"]?.elements?.map(\.integer) == [1])
    }

    @Test func absentNullAndEmptyParametersAreTheSame() throws {
        #expect(try call(#"{"method":"x.Y","parameters":null}"#).parameters == nil)
        let empty = try call(#"{"method":"x.Y","parameters":{}}"#).parameters
        #expect(empty?.members?.contains { _ in true } == false)
    }

    @Test func ignoresVendors() throws {
        let call = try call(#"{"org.example":{"trace":1},"method":"x.Y"}"#)
        #expect(call.method.string == "x.Y")
    }

    @Test func aMethodWithoutDotHasNoInterface() throws {
        #expect(try call(#"{"method":"Ping"}"#).interface == nil)
    }

    @Test(arguments: [
        ("[]", CallError.notAnObject),
        ("\"x\"", .notAnObject),
        ("{}", .noMethod),
        (#"{"parameters":{}}"#, .noMethod),
        (#"{"method":7}"#, .methodNotAString),
        (#"{"method":null}"#, .methodNotAString),
        (#"{"method":"x.Y","parameters":[]}"#, .parametersNotAnObject),
        (#"{"method":"x.Y","parameters":"{}"}"#, .parametersNotAnObject),
        (#"{"method":"x.Y","more":1}"#, .flagNotABoolean("more")),
        (#"{"method":"x.Y","oneway":"true"}"#, .flagNotABoolean("oneway")),
        (#"{"method":"x.Y","upgrade":[]}"#, .flagNotABoolean("upgrade")),
        (#"{"method":"x.Y","more":true,"oneway":true}"#, .flagsTogether),
        (#"{"method":"x.Y","more":true,"upgrade":true}"#, .flagsTogether),
        (#"{"method":"x.Y","id":1}"#, .unknownMember("id")),
    ])
    func refuses(text: String, error: CallError) {
        #expect(throws: error) { try call(text) }
    }

    @Test func refusalsSayWhat() {
        #expect(CallError.unknownMember("id").description == "a call has no member \"id\"")
        #expect(
            CallError.flagNotABoolean("more").description == "\"more\" must be true or false")
    }

    /// Whatever arrives is taken or refused, never a crash.
    @Test(arguments: [11, 12, 13] as [UInt64])
    func survivesMutations(seed: UInt64) {
        var generator = SeededGenerator(state: seed)
        let valid = Array(
            #"{"method":"io.retryd.Submit","more":false,"parameters":{"a":[1,-2.5e3,"\u00e4"]}}"#
                .utf8)
        var taken = 0
        for _ in 0..<5_000 {
            var text = valid
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<text.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: text[index] = UInt8.random(in: 1...255, using: &generator)
                case 1: text.remove(at: index)
                default: text.insert(text.randomElement(using: &generator) ?? 0x20, at: index)
                }
            }
            guard let value = try? parser.parse(text) else { continue }
            if let call = try? Call(value) {
                taken += 1
                _ = call.interface
                for member in call.parameters?.members.map(Array.init) ?? [] {
                    _ = member.name.string
                }
            }
        }
        // Mutations inside strings and numbers leave calls calls; else nothing was tested.
        #expect(taken > 100, "seed \(seed)")
    }
}
