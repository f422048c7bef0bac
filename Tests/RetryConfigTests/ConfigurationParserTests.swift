import RetryModel
import Testing

@testable import RetryConfig

/// A host with three users and one group.
let someNames = NameResolver(
    user: { ["root": 0, "mailer": 110, "www-data": 33][$0] },
    group: { ["staff": 50][$0] })

/// What files of the given texts mean; they are called a.toml, b.toml and so on.
func configuration(_ texts: String...) throws(ConfigurationError) -> Configuration {
    try parsed(texts).configuration
}

func parsed(
    _ texts: [String]
) throws(ConfigurationError) -> (configuration: Configuration, warnings: [String]) {
    var parser = ConfigurationParser(names: someNames)
    for (text, name) in zip(texts, "abcdefgh") {
        try parser.read(Array(text.utf8), file: "\(name).toml")
    }
    let configuration = try parser.finish()
    return (configuration, parser.warnings)
}

@Suite
struct ConfigurationParserTests {
    @Test
    func nothingMeansTheDefaults() throws {
        #expect(try configuration() == .standard)
        #expect(try configuration("") == .standard)
        #expect(try configuration("[limits]\n[retention]\n[journal]\n") == .standard)
    }

    @Test
    func readsEveryLimit() throws {
        let limits = try configuration(
            """
            [limits]
            payload-size = "1M"
            failure-size = 65536
            operations = 10
            operations-per-user = 9
            connections = 8
            connections-per-user = 7
            reconnect-grace = 0
            restart-grace = "1min"
            """
        ).limits
        #expect(limits.payloadBytesMax == 1_048_576)
        #expect(limits.failureBytesMax == 65_536)
        #expect(limits.operationsMax == 10)
        #expect(limits.operationsPerUserMax == 9)
        #expect(limits.connectionsMax == 8)
        #expect(limits.connectionsPerUserMax == 7)
        #expect(limits.reconnectGrace == .zero)
        #expect(limits.restartGrace == .minutes(1))
        // The largest payload in base64, the largest failure escaped, and the frame.
        #expect(limits.messageBytesMax == 1_398_104 + 131_072 + 65_536)
    }

    @Test
    func readsRetention() throws {
        let retention = try configuration(
            """
            [retention]
            ended = 0
            ended-count = 1
            dead = "2d"
            dead-count = 2
            events = "1h"
            attempts = 3
            """
        ).retention
        #expect(retention.ended == .zero)
        #expect(retention.endedCountMax == 1)
        #expect(retention.dead == .days(2))
        #expect(retention.deadCountMax == 2)
        #expect(retention.events == .hours(1))
        #expect(retention.attemptsMax == 3)
    }

    @Test
    func readsRightsAndJournal() throws {
        let result = try configuration(
            """
            [queue."mail.send"]
            workers = ["mailer", 1001]
            submitters = ["www-data"]
            policy = "default"
            [command]
            allow-users = ["root"]
            [admin]
            group = "staff"
            [journal]
            level = "debug"
            """)
        #expect(result.isWorker(110, ofQueue: "mail.send"))
        #expect(result.isWorker(1001, ofQueue: "mail.send"))
        #expect(!result.isWorker(33, ofQueue: "mail.send"))
        #expect(!result.isWorker(110, ofQueue: "mail"))
        #expect(result.isSubmitter(33, toQueue: "mail.send"))
        #expect(!result.isSubmitter(1001, toQueue: "mail.send"))
        #expect(result.isSubmitter(1001, toQueue: "another"))
        #expect(result.mayRunCommands(0))
        #expect(!result.mayRunCommands(33))
        #expect(result.mayRunCommands(1000))
        #expect(result.adminGroup == 50)
        #expect(result.journalLevel == .debug)
        #expect(result.queues["mail.send"]?.policy == "default")
    }

    @Test
    func anEmptyListOfSubmittersLetsNobodyIn() throws {
        let result = try configuration("[queue.closed]\nsubmitters = []\n")
        #expect(!result.isSubmitter(0, toQueue: "closed"))
    }

    @Test
    func laterFilesOverrideKeyByKey() throws {
        let limits = try configuration(
            "[limits]\noperations = 5\nconnections = 6\n", "[limits]\noperations = 7\n"
        ).limits
        #expect(limits.operationsMax == 7)
        #expect(limits.connectionsMax == 6)
    }

    @Test
    func whoIsNotThereIsToldAndPassedOver() throws {
        let result = try parsed([
            "[command]\nallow-users = [\"gone\", \"mailer\"]\n[admin]\ngroup = \"nobodies\"\n"
        ])
        #expect(result.configuration.commandUsers == [110])
        #expect(result.configuration.adminGroup == nil)
        #expect(
            result.warnings == [
                "a.toml:2:16: allow-users: no user \"gone\"",
                "a.toml:4:9: no group \"nobodies\"; only root is admin",
            ])
    }

    @Test
    func theUsualGroupMayBeMissing() throws {
        #expect(try parsed([""]).warnings == [])
    }

    @Test
    func automaticRecoveryCanBeSwitchedOff() throws {
        #expect(try configuration("[rules]\n").recoversAutomatically)
        let off = try configuration("[rules]\nrecover-automatically = false\n")
        #expect(!off.recoversAutomatically)
        do {
            _ = try configuration("[rules]\nrecover-automatically = \"no\"\n")
            Issue.record("a string is no switch")
        } catch {
            #expect(
                error.description
                    == "a.toml:2:25: recover-automatically takes true or false, not a string")
        }
    }
}
