import Testing
import Varlink

@Suite struct CallHeadTests {
    private func head(_ text: String) -> CallHead? {
        Array(text.utf8).withUnsafeBytes { CallHead(scanning: $0) }
    }

    @Test(arguments: [
        #"{"method":"x.Y"}"#, #" { "parameters" : {"a":1e999} , "method" : "x.Y" } "#,
        #"{"method":"x.Y","parameters":{"a":"}\",{","b":[[],{}]}}"#,
        #"{"method":"x\"","parameters":nonsense}"#,
    ])
    func aMethodIsFound(text: String) {
        #expect(head(text)?.oneway == false)
    }

    @Test func onewayIsFound() {
        #expect(head(#"{"oneway":true,"method":"x","parameters":{"a":1e999}}"#)?.oneway == true)
        #expect(head(#"{"oneway": true ,"method":"x"}"#)?.oneway == true)
        #expect(head(#"{"parameters":{"oneway":true},"method":"x"}"#)?.oneway == false)
    }

    @Test(arguments: [
        "", "x", "{", "[]", "{}", #"{"method":7}"#, #"{"method":"x"} trailing"#, #"{"method":"x""#,
        #"{"method":"x","parameters":{"a":1}"#, #"{"parameters":{"method":"x"}}"#,
        #"{"method":"x"}}"#, #"{"method":"\"#, #"{"a":"\""#, #"{method:"x"}"#,
    ])
    func withoutOneThereIsNone(text: String) {
        #expect(head(text) == nil)
    }

    @Test func depthCostsNothing() {
        let deep = String(repeating: "[", count: 500_000) + String(repeating: "]", count: 500_000)
        #expect(head(#"{"parameters":\#(deep),"method":"x"}"#) != nil)
    }
}
