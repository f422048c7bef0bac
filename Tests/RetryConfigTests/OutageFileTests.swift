import RetryCore
import RetryModel
import Testing

@testable import RetryConfig

@Suite
struct OutageFileTests {
    @Test
    func readsEveryKey() throws {
        let text = """
            seed = 7
            hosts = 3
            operations = 40
            workers = 2
            arrival = "5s"
            length = "2h"
            attempt = "20ms"
            capacity = 9
            [[outage]]
            from = "1min"
            to = "2min"
            [[outage]]
            to = 10
            [[failure]]
            weight = 3
            retry-after = "30s"
            [[failure]]
            decision = "permanent"
            """
        let scenario = try OutageFile.read(Array(text.utf8), file: "a.toml")
        #expect(scenario.seed == 7)
        #expect(scenario.hosts == 3)
        #expect(scenario.operationsPerHost == 40)
        #expect(scenario.workersPerHost == 2)
        #expect(scenario.arrival == .seconds(5))
        #expect(scenario.length == .minutes(120))
        #expect(scenario.attemptLength == .milliseconds(20))
        #expect(scenario.capacityPerSecond == 9)
        #expect(scenario.outages == [.minutes(1)..<Span.minutes(2), .zero..<Span.seconds(10)])
        #expect(scenario.failures.map(\.weight) == [3, 1])
        #expect(scenario.failures[0].verdict.hint == .after(.seconds(30)))
        #expect(scenario.failures[1].verdict.disposition == .permanent)
    }

    @Test(
        arguments: [
            ("hosts = 0", "a.toml:1:9: hosts = 0 is out of range: it may be 1 to 10000"),
            ("[outage]\nto = 5", "a.toml:1:1: outage is a list of sections: write [[outage]]"),
            ("[[outage]]\nto = 0", "a.toml:2:6: an outage ends after it begins"),
            (
                "[[outage]]\nfrm = 0",
                "a.toml:2:1: unknown key frm in [[outage]]; did you mean from?"
            ),
            ("[[failure]]\nweight = 0", "a.toml: every [[failure]] has the weight 0"),
            ("hosts = 10000\noperations = 1000000", "a.toml: hosts × operations is more than"),
            ("[[failure]]\ndecision = \"x\"", "a.toml:2:12: decision = \"x\" is unknown"),
        ])
    func saysWhereAndWhat(text: String, message: String) {
        do {
            _ = try OutageFile.read(Array(text.utf8), file: "a.toml")
            Issue.record("it was taken")
        } catch {
            #expect(error.description.hasPrefix(message), "\(error)")
        }
    }
}
