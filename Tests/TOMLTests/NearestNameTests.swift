import TOML
import Testing

@Suite struct NearestNameTests {
    @Test(arguments: [
        ("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("", "ab", 2), ("stauts", "status", 1),
        ("kitten", "sitting", 3), ("Phase", "phase", 0), ("hint", "hints", 1), ("ab", "ba", 1),
    ])
    func distanceCountsEdits(left: String, right: String, distance: Int) {
        #expect(NearestName.editDistance(left, right) == distance)
    }

    @Test func theNearestIsFound() {
        let names = ["name", "phase", "when", "then", "messages", "test"]
        #expect(NearestName.find("phse", in: names) == "phase")
        #expect(NearestName.find("wehn", in: names) == "when")
        #expect(NearestName.find("message", in: names) == "messages")
        #expect(NearestName.find("colour", in: names) == nil)
        #expect(NearestName.find("max-atempts", in: ["max-age", "max-attempts"]) == "max-attempts")
    }

    @Test func aShortNameIsNotMistakenForEveryOther() {
        #expect(NearestName.find("xy", in: ["ab", "cd"]) == nil)
        #expect(NearestName.find("task", in: ["tls", "http"]) == nil)
        #expect(NearestName.find("a", in: []) == nil)
    }
}
