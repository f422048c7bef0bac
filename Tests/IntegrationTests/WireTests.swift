import JSON
import Support
import SystemKit
import Testing
import Varlink

/// The protocol itself: framing, order, errors, and a client that is not ours.
@Suite
struct WireTests {
    private let daemon: PrivateDaemon
    private let client: WireClient

    init() throws {
        daemon = try Scenario.started()
        client = try daemon.connect()
    }

    private func staysUp() throws {
        #expect(try client.succeed("Status")["store"] == "serving")
    }

    // MARK: What is no call

    @Test
    func aMalformedMessageClosesItsConnection() throws {
        let cases: [String] = [
            "", "x", "{", "[]", "17", "null", "{}", #"{"method":7}"#,
            #"{"method":"io.retryd.Status","parameters":[]}"#,
            #"{"method":"io.retryd.Status","mode":1}"#,
            #"{"method":"io.retryd.Status","more":1}"#,
            #"{"method":"io.retryd.Status","more":true,"oneway":true}"#,
            #"{"method":"io.retryd.Status"} trailing"#,
        ]
        for text in cases {
            let wrong = try daemon.connect()
            let call = WireClient.message("Submit", .submit(["queue": "mail", "policy": "slow"]))
            try wrong.send(bytes: call + Array(text.utf8) + [0] + call)
            // What came before is answered, what comes after is not looked at.
            #expect(try wrong.receive().error == nil)
            #expect(try wrong.isClosed())
        }
        #expect(try client.list().count == cases.count)
        try staysUp()
    }

    /// The fault of one call is told by name, and the calls behind it are carried out.
    private func isRefused(_ message: [UInt8], _ reason: String) throws {
        let call = WireClient.message("Submit", .submit(["queue": "mail", "policy": "slow"]))
        try client.send(bytes: call + message + call)
        let before = try client.receive()["id"].integer ?? 0
        let refused = try client.receive()
        #expect(refused.error == "org.varlink.service.InvalidParameter")
        #expect(refused["parameter"] == "parameters")
        #expect(refused["reason"].string?.contains(reason) == true, "\(refused)")
        #expect(try client.receive()["id"].integer == before + 1)
    }

    @Test
    func whatIsNotUTF8IsRefused() throws {
        let head = Array(#"{"method":"io.retryd.Submit","parameters":{"operation":{"queue":""#.utf8)
        try isRefused(head + [0xC3, 0x28] + Array(#""}}}"#.utf8) + [0], "UTF-8")
        try staysUp()
    }

    @Test
    func deepNestingIsRefused() throws {
        func call(_ depth: Int) -> [UInt8] {
            let open = String(repeating: "[", count: depth)
            let close = String(repeating: "]", count: depth)
            return Array(
                (#"{"method":"io.retryd.Submit","parameters":{"operation":{"queue":"q"},"#
                    + #""failure":{"batch":\#(open)\#(close)}}}"#).utf8) + [0]
        }
        try client.send(bytes: call(31))
        #expect(try client.receive().error == nil)
        for depth in [40, 100_000] { try isRefused(call(depth), "at most 38 containers") }
        try staysUp()
    }

    @Test
    func numbersBeyondSixtyFourBitsAreRefused() throws {
        for number in ["18446744073709551616", "-9223372036854775809", "1e999", "07", "x"] {
            let call = #"{"method":"io.retryd.Why","parameters":{"id":\#(number)}}"#
            try isRefused(Array(call.utf8) + [0], "not taken as JSON")
        }
        let oneway = #"{"method":"io.retryd.Why","parameters":{"id":1e999},"oneway":true}"#
        try client.send(bytes: Array(oneway.utf8) + [0])
        try staysUp()
    }

    @Test
    func anOverlongMessageClosesItsConnectionAndFillsNoMemory() throws {
        let before = try client.succeed("Status")["memory_bytes"].integer ?? 0
        let wrong = try daemon.connect()
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        var sent = 0
        let endUsec = Clocks.monotonicUsec() + 10_000_000
        // The sender learns by an error that nobody reads any more.
        while sent < 64 << 20, Clocks.monotonicUsec() < endUsec {
            guard let count = try? wrong.sendSome(bytes: piece) else { break }
            sent += count
            Clocks.sleep(ms: 1)
        }
        #expect(sent < 16 << 20, "\(sent) bytes were taken")
        #expect(try wrong.isClosed())
        let after = try client.succeed("Status")["memory_bytes"].integer ?? .max
        #expect(after - before < 8 << 20)
        try staysUp()
    }

    @Test
    func aMessageMayComeInPieces() throws {
        let message = WireClient.message("Submit", .submit(["queue": "mail", "policy": "slow"]))
        for byte in message {
            try client.send(bytes: [byte])
        }
        #expect(try client.receive()["id"] == 1)
        let half = message.count / 2
        try client.send(bytes: message + message[..<half])
        #expect(try client.receive()["id"] == 2)
        #expect(try client.next(timeoutMs: 20) == nil)
        try client.send(bytes: Array(message[half...]))
        #expect(try client.receive()["id"] == 3)
    }

    // MARK: Errors by name

    @Test
    func methodsThatAreNotThereAreNamed() throws {
        for (method, error, parameters) in [
            (
                "io.retryd.Sumbit", "org.varlink.service.MethodNotFound",
                ["method": "io.retryd.Sumbit"]
            ),
            (
                "io.example.Ping", "org.varlink.service.InterfaceNotFound",
                ["interface": "io.example"]
            ),
            ("Ping.", "org.varlink.service.InterfaceNotFound", ["interface": "Ping"]),
        ] as [(String, String, Value)] {
            let answer = try client.call(method)
            #expect(answer.error == error)
            #expect(answer.parameters == parameters)
        }
    }

    @Test
    func parametersMayBeAbsentOrNull() throws {
        try client.send(bytes: Array(#"{"method":"io.retryd.ListSignals"}"#.utf8) + [0])
        #expect(try client.receive()["signals"] == [])
        let null = #"{"method":"io.retryd.ListSignals","parameters":null,"io.example.x":1}"#
        try client.send(bytes: Array(null.utf8) + [0])
        #expect(try client.receive()["signals"] == [])
    }

    /// Each method refuses what it does not know by name.
    @Test
    func everyMethodRefusesUnknownMembers() throws {
        let cases: [String] = [
            "Submit", "SubmitMany", "Lease", "Extend", "Report", "Release", "Get", "List", "Why",
            "History", "Cancel", "Retry", "SetSignal", "ListSignals", "Status", "Reload",
        ]
        for method in cases {
            let answer = try client.call(method, ["nonsense": 1])
            #expect(answer.error == "org.varlink.service.InvalidParameter")
            #expect(answer["parameter"] == "nonsense")
            #expect(answer["reason"] == "no such parameter")
        }
    }

    // MARK: Introspection

    @Test
    func theServiceDescribesItself() throws {
        let info = try client.succeed("org.varlink.service.GetInfo")
        #expect(info["product"] == "retryd")
        #expect(info["interfaces"] == ["org.varlink.service", "io.retryd", "io.systemd.service"])
        for name in ["org.varlink.service", "io.retryd", "io.systemd.service"] {
            let answer = try client.succeed(
                "org.varlink.service.GetInterfaceDescription",
                ["interface": .string(name)])
            let text = try #require(answer["description"].string)
            let definition = try InterfaceDefinition(parsing: text)
            #expect(definition.name == name)
        }
        let unknown = try client.call(
            "org.varlink.service.GetInterfaceDescription", ["interface": "io.example"])
        #expect(unknown.error == "org.varlink.service.InterfaceNotFound")
        #expect(unknown.parameters == ["interface": "io.example"])
    }

    // MARK: Order

    @Test
    func hundredsOfPipelinedCallsAreAnsweredInOrder() throws {
        var bytes: [UInt8] = []
        for number in 0..<700 {
            switch number % 3 {
            case 0:
                bytes += WireClient.message(
                    "Submit", .submit(["queue": "mail", "policy": "slow"]))
            case 1: bytes += WireClient.message("Why", ["id": .integer(Int64(number / 3 + 1))])
            case _: bytes += WireClient.message("Get", ["id": .integer(Int64(number / 3 + 1))])
            }
        }
        try client.send(bytes: bytes)
        for number in 0..<700 {
            let answer = try client.receive()
            let id = Int64(number / 3 + 1)
            #expect(answer.error == nil)
            switch number % 3 {
            case 0, 1: #expect(answer["id"].integer == id)
            case _: #expect(answer["operation"]["id"].integer == id)
            }
        }
    }

    @Test
    func onewayCallsAreCarriedOutAndNotAnswered() throws {
        for number in 0..<3 {
            try client.send(
                "Submit", .submit(["queue": "mail", "policy": "slow", "key": "k"]), .oneway)
            try client.send("Nonsense", [:], .oneway)
            try client.send("Get", ["id": .integer(Int64(number))], .oneway)
            try client.send("List", [:], .oneway)
            try client.send("Lease", ["queues": ["mail"]], .oneway)
        }
        try client.send("Cancel", ["filter": ["queue": "none"]], .oneway)
        #expect(try client.succeed("Status")["counts"]["scheduled"] == 1)
        #expect(try client.next(timeoutMs: 50) == nil)
    }

    @Test
    func onewayCallsOfAClientThatLeavesAreCarriedOut() throws {
        let id = try client.submit(["queue": "mail", "policy": "slow", "key": "known"])
        do {
            let leaving = try daemon.connect()
            var bytes: [UInt8] = []
            for number in 0..<300 {
                // Every second one asks the disk first.
                let key = Value.string(number % 2 == 0 ? "known" : "new-\(number)")
                bytes += WireClient.message(
                    "Submit", .submit(["queue": "mail", "policy": "slow", "key": key]), .oneway)
            }
            try leaving.send(bytes: bytes)
        }
        let endUsec = Clocks.monotonicUsec() + 10_000_000
        while try client.list().count < 151, Clocks.monotonicUsec() < endUsec {
            Clocks.sleep(ms: 5)
        }
        #expect(try client.list().count == 151)
        #expect(try client.state(id) == "scheduled")
        #expect(try client.succeed("Status")["connections"] == 1)
    }

    @Test
    func aClientThatSendsNoMoreStillGetsItsAnswers() throws {
        let half = try daemon.connect()
        var bytes: [UInt8] = []
        for _ in 0..<50 {
            bytes += WireClient.message(
                "Submit", .submit(["queue": "mail", "policy": "slow", "key": "k"]))
            bytes += WireClient.message("org.varlink.service.GetInterfaceDescription", [
                "interface": "io.retryd",
            ])
        }
        try half.send(bytes: bytes)
        try half.finishSending()
        Clocks.sleep(ms: 100)
        for _ in 0..<50 {
            #expect(try half.receive()["id"] == 1)
            #expect(try half.receive()["description"] != .null)
        }
        #expect(try half.isClosed())
    }

    // MARK: A client that is not ours

    /// PyPI's `varlink`, which `make test` installs.
    @Test(
        .enabled(
            if: ForeignClient.isThere, "make deps-test installs varlink into .build/venv"))
    func aForeignClientConnectsIntrospectsAndCalls() throws {
        let finished = try FinishedProgram.run(
            [ForeignClient.python, "-c", ForeignClient.script, daemon.socket])
        #expect(finished.end == .exited(code: 0), "\(finished)")
        #expect(finished.output.hasSuffix("all is well\n"), "\(finished)")
        #expect(try client.list().count == 3)
    }
}

/// Calls by a library that knows nothing of retryd but what the daemon tells it.
enum ForeignClient {
    static let python = "\(BuiltProgram.tree)/.build/venv/bin/python3"
    static var isThere: Bool { (try? Files.status(python)) != nil }

    static let script = """
        import sys, varlink
        with varlink.Client(address="unix:" + sys.argv[1]) as client:
            assert client.get_interfaces() == [
                "org.varlink.service", "io.retryd", "io.systemd.service"]
            with client.open("io.retryd") as retryd:
                for number in range(3):
                    submitted = retryd.Submit(
                        operation={"queue": "mail", "policy": "slow", "payload": "text"},
                        failure={"test": "retry"})
                    assert submitted["id"] == number + 1, submitted
                    assert submitted["decision"]["rule"] == "test-retry", submitted
                got = retryd.Get(id=1)
                assert got["operation"]["state"] == "scheduled", got
                assert got["payload"] == "text", got
                seen = []
                for page in retryd.List(_more=True):
                    seen += [o["id"] for o in page["operations"]]
                assert seen == [1, 2, 3], seen
                try:
                    retryd.Get(id=99)
                    raise SystemExit("no error")
                except varlink.VarlinkError as error:
                    assert error.error() == "io.retryd.NoSuchOperation", error
                    assert error.parameters()["id"] == 99, error
        print("all is well")
        """
}
