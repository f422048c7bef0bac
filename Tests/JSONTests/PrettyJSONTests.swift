import JSON
import Testing

@Suite struct PrettyJSONTests {
    private func pretty(_ text: String) -> String {
        String(decoding: PrettyJSON.indent(text.utf8), as: UTF8.self)
    }

    @Test func indents() {
        #expect(
            pretty(#"{"a":1,"b":[true,null,{"c":"x"}],"d":{},"e":[]}"#) == """
                {
                  "a": 1,
                  "b": [
                    true,
                    null,
                    {
                      "c": "x"
                    }
                  ],
                  "d": {},
                  "e": []
                }
                """)
    }

    @Test func leavesStringsAlone() {
        let text = #"["{\"a\": [1, 2]}\\","b"]"#
        #expect(pretty(text) == "[\n  \"{\\\"a\\\": [1, 2]}\\\\\",\n  \"b\"\n]")
    }

    @Test func dropsOldSpace() {
        #expect(pretty(" { \"a\" :\n[ ]\t}\n") == "{\n  \"a\": []\n}")
        #expect(pretty("17") == "17")
    }
}
