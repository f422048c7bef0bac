import JSON
import RetryExplain
import RetryModel
import Testing

@Suite
struct JSONWriterJudgementTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    @Test
    func theLineBeginsWithWhatToolsRelyOn() throws {
        #expect(
            try bench.line(#"{"http":{"status":429,"headers":{"Retry-After":"120"}}}"#)
                == #"{"disposition":"retry","condition":"now","action":null,"retry_after_s":120,"#
                + #""rule":"busy","file":"/etc/r.toml","line":6,"policy":"default","#
                + #""outcome":"waiting","cause":null,"clamped":false,"note":null}"#)
    }

    @Test
    func nullsAreWrittenOut() throws {
        #expect(
            try bench.line("{}")
                == #"{"disposition":"permanent","condition":null,"action":"introspect-cause","#
                + #""retry_after_s":null,"rule":null,"file":null,"line":null,"#
                + #""policy":"default","outcome":"dead","cause":"permanent","clamped":false,"#
                + #""note":null}"#)
        #expect(try bench.line("[]").contains(#""note":"not-an-object""#))
        #expect(
            try bench.line(#"{"http":{"status":423}}"#).hasPrefix(
                #"{"disposition":"retry","condition":"when-foreground","action":null"#))
    }

    @Test
    func fractionsOfSecondsStay() throws {
        let json =
            #"{"received_at":1772366399.5,"http":{"status":429,"headers":{"#
            + #""Retry-After":"Sun, 01 Mar 2026 12:00:00 GMT"}}}"#
        #expect(try bench.line(json).contains(#""retry_after_s":0.5,"#))
    }
}
