import Support
import SystemKit
import Testing

/// SubmitMany: one result an item; with `atomic` all or nothing.
@Suite
struct SubmitManyTests {
    private let daemon: PrivateDaemon
    private let client: WireClient

    init() throws {
        daemon = try Scenario.started()
        client = try daemon.connect()
    }

    private func item(
        _ operation: Value = ["queue": "mail", "policy": "slow"], event: String? = nil
    ) -> Value {
        var failure: [String: Value] = ["test": "retry"]
        if let event { failure["event_id"] = .string(event) }
        return ["operation": operation, "failure": .object(failure)]
    }

    @Test
    func eachItemHasItsResult() throws {
        let answer = try client.succeed(
            "SubmitMany",
            ["items": [item(), item(["queue": ""]), item(["queue": "mail", "polcy": "x"]), item()]])
        let results = answer["results"].elements
        #expect(results.map { $0["submitted"]["id"] } == [1, .null, .null, 2])
        #expect(
            results.map { $0["error"] }
                == [
                    .null, "org.varlink.service.InvalidParameter",
                    "org.varlink.service.InvalidParameter", .null,
                ])
        #expect(
            results[1]["parameters"] == ["parameter": "queue", "reason": "it is empty"])
        #expect(results[0]["submitted"]["decision"]["rule"] == "test-retry")
        #expect(try client.list().count == 2)
        #expect(try client.succeed("SubmitMany", ["items": []])["results"] == [])
    }

    @Test(arguments: [
        ["queue": ""] as Value,
        ["queue": "mail", "payload_base64": "?"],
        ["queue": "mail", "payload": .string(String(repeating: "x", count: 262_145))],
    ])
    func anAtomicCallStoresNothingWhenOneItemIsRefused(wrong: Value) throws {
        let answer = try client.call(
            "SubmitMany", ["items": [item(), item(wrong), item()], "atomic": true])
        #expect(answer.error == "org.varlink.service.InvalidParameter")
        let reason = try #require(answer["reason"].string)
        #expect(reason.hasPrefix("item 1: "), "\(reason)")
        #expect(reason.hasSuffix("; nothing was stored"), "\(reason)")
        #expect(try client.list() == [])
    }

    @Test
    func anAtomicCallLooksAtTheFailuresFirst() throws {
        let answer = try client.call(
            "SubmitMany", ["items": [item(), item(event: "")], "atomic": true])
        #expect(answer.error == "org.varlink.service.InvalidParameter")
        #expect(answer["parameter"] == "failure")
        #expect(try client.list() == [])
    }

    @Test
    func itemsOfOneKeyOrEventAreOneOperation() throws {
        let keyed = item(["queue": "mail", "key": "k", "policy": "slow"])
        let told = item(event: "e")
        let answer = try client.succeed("SubmitMany", ["items": [keyed, told, keyed, told]])
        let results = answer["results"].elements.map { $0["submitted"] }
        #expect(results.map { $0["id"] } == [1, 2, 1, 2])
        #expect(results.map { $0["existing"] } == [false, false, true, true])
        #expect(results.map { $0["duplicate"] } == [false, false, false, true])
        #expect(results[3]["decision"] == results[1]["decision"])
        // And once more, when all of it is on disk.
        let again = try client.succeed("SubmitMany", ["items": [told, keyed], "atomic": true])
        #expect(again["results"].elements.map { $0["submitted"]["id"] } == [2, 1])
        #expect(again["results"][0]["submitted"]["duplicate"] == true)
        #expect(try client.list().count == 2)
    }

    @Test
    func thereIsABoundOnItems() throws {
        let items = Array(repeating: item(["queue": "mail"]), count: 1_025)
        let answer = try client.call("SubmitMany", ["items": .array(items)])
        #expect(answer.error == "org.varlink.service.InvalidParameter")
        #expect(answer["parameter"] == "items")
        let most = try client.succeed("SubmitMany", ["items": .array(Array(items.dropLast()))])
        #expect(most["results"].elements.count == 1_024)
        let listed = try client.succeed("List", ["limit": 5_000])
        #expect(listed["operations"].elements.count == 1_024)
    }

    @Test
    func anAtomicCallThatWouldPassAQuotaStoresNothing() throws {
        let daemon = try Scenario.started(settings: "[limits]\noperations = 3\n")
        let client = try daemon.connect()
        let keyed = item(["queue": "mail", "key": "k", "policy": "slow"])
        _ = try client.succeed("SubmitMany", ["items": [keyed, item()], "atomic": true])
        let over = try client.call("SubmitMany", ["items": [item(), item()], "atomic": true])
        #expect(over.error == "io.retryd.QuotaExceeded")
        #expect(over["limit"] == "operations")
        #expect(try client.list().count == 2)
        // What is there already needs no room.
        let fits = try client.succeed("SubmitMany", ["items": [keyed, item()], "atomic": true])
        #expect(fits["results"].elements.map { $0["submitted"]["existing"] } == [true, false])
        // Without `atomic` each item for itself.
        let some = try client.succeed("SubmitMany", ["items": [keyed, item()]])
        #expect(some["results"][1]["error"] == "io.retryd.QuotaExceeded")
        #expect(some["results"][1]["parameters"]["limit"] == "operations")
    }
}
