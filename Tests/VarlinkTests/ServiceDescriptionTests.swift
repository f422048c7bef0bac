import JSON
import Testing
import Varlink

@Suite struct ServiceDescriptionTests {
    private let parser = JSONParser(lengthMax: 1 << 16, depthMax: 16)
    private let service = ServiceDescription(
        vendor: "Example", product: "Drive", version: "1.2", url: "https://example.org/",
        interfaces: [.init(name: "org.example.ftl", description: "interface org.example.ftl\n")])

    private func answer(_ text: String) throws -> String {
        var writer = JSONWriter()
        service.answer(try Call(parser.parse(Array(text.utf8))), into: &writer)
        return shown(writer)
    }

    @Test func tellsWhatItIs() throws {
        #expect(
            try answer(#"{"method":"org.varlink.service.GetInfo"}"#)
                == #"{"parameters":{"vendor":"Example","product":"Drive","version":"1.2","#
                + #""url":"https://example.org/","#
                + #""interfaces":["org.varlink.service","org.example.ftl"]}}|"#)
    }

    @Test func tellsAnInterface() throws {
        #expect(
            try answer(
                #"{"method":"org.varlink.service.GetInterfaceDescription","#
                    + #""parameters":{"interface":"org.example.ftl"}}"#)
                == #"{"parameters":{"description":"interface org.example.ftl\n"}}|"#)
    }

    @Test func itsOwnInterfaceIsADefinition() throws {
        let definition = try InterfaceDefinition(parsing: service.interfaces[0].description)
        #expect(definition.name == "org.varlink.service")
        #expect(definition.methods.map(\.name) == ["GetInfo", "GetInterfaceDescription"])
        #expect(
            definition.errors.map(\.name) == [
                "InterfaceNotFound", "MethodNotFound", "MethodNotImplemented", "InvalidParameter",
                "PermissionDenied", "ExpectedMore", "ExpectedUpgrade",
            ])
    }

    @Test(arguments: [
        (#"{"method":"a.b.C"}"#, "InterfaceNotFound", #""interface":"a.b""#),
        (#"{"method":"Ping"}"#, "InterfaceNotFound", #""interface":"Ping""#),
        (#"{"method":"org.example.ftl.X"}"#, "MethodNotFound", #""method":"org.example.ftl.X""#),
        (
            #"{"method":"org.varlink.service.X"}"#, "MethodNotFound",
            #""method":"org.varlink.service.X""#
        ),
        (
            #"{"method":"org.varlink.service.GetInfo","parameters":{"a":1}}"#, "InvalidParameter",
            #""parameter":"a","reason":"no such parameter""#
        ),
        (
            #"{"method":"org.varlink.service.GetInterfaceDescription"}"#, "InvalidParameter",
            #""parameter":"interface","reason":"the name of an interface is needed""#
        ),
        (
            #"{"method":"org.varlink.service.GetInterfaceDescription","#
                + #""parameters":{"interface":"a.b"}}"#, "InterfaceNotFound", #""interface":"a.b""#
        ),
    ])
    func refuses(call: String, error: String, parameters: String) throws {
        #expect(
            try answer(call)
                == #"{"error":"org.varlink.service.\#(error)","parameters":{\#(parameters)}}|"#)
    }

    @Test func saysNothingToAOnewayCall() throws {
        #expect(try answer(#"{"method":"a.b.C","oneway":true}"#) == "")
    }
}
