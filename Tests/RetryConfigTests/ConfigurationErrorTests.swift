import Testing

@testable import RetryConfig

/// Each mistake an administrator can make, and the sentence that tells it.
@Suite
struct ConfigurationErrorTests {
    private static let mistakes: [(text: String, message: String)] = [
        ("[limits\n", "a.toml:1:8: "),
        ("[limit]\n", "a.toml:1:2: unknown section [limit]; did you mean limits?"),
        (
            "[zzzzzzzzz]\n",
            "a.toml:1:2: unknown section [zzzzzzzzz]; known are limits, retention, policy, queue, "
                + "destination, ramp, command, rules, signals, admin, journal"
        ),
        (
            "[limits]\noperatoins = 3\n",
            "a.toml:2:1: unknown key operatoins in [limits]; did you mean operations?"
        ),
        (
            "[limits]\noperations = \"many\"\n",
            "a.toml:2:14: operations takes an integer, not a string"
        ),
        (
            "[limits]\noperations = 0\n",
            "a.toml:2:14: operations = 0 is out of range: it may be 1 to 100000000"
        ),
        (
            "[limits]\npayload-size = \"10 MB\"\n",
            "a.toml:2:16: payload-size = \"10 MB\" is not a size: write \"256K\" or \"1M\""
        ),
        (
            "[limits]\npayload-size = \"1G\"\n",
            "a.toml:2:16: payload-size is out of range: it may be 1K to 16M"
        ),
        (
            "[destination.mx]\nbreaker-open = \"10min\"\n",
            "a.toml:2:16: [destination.mx]: breaker-open is 10min, longer than "
                + "breaker-open-max, 5min"
        ),
        (
            "[policy.default]\ninitial = \"soon\"\n",
            "a.toml:2:11: initial: \"soon\" is not a time: write \"90s\", \"1h 30min\" or \"5d\""
        ),
        (
            "[policy.default]\nsteps = [\"1s\",\n  0]\n",
            "a.toml:3:3: steps is out of range: it may be 1ms to 365d"
        ),
        (
            "[policy.default]\ninitial = true\n",
            "a.toml:2:11: initial takes a time such as \"90s\" or seconds, not a boolean"
        ),
        (
            "[policy.default]\nmax-age = -1\n",
            "a.toml:2:11: max-age is out of range: it may be 1s to infinity"
        ),
        (
            "[policy.default]\nfactor = 0.5\n",
            "a.toml:2:10: factor = 0.5 is out of range: it may be 1 to 100"
        ),
        (
            "[policy.default]\njitter = \"ful\"\n",
            "a.toml:2:10: jitter = \"ful\" is unknown; did you mean full?"
        ),
        (
            "[policy.default]\nmax-attempts = 100000\n",
            "a.toml:2:16: max-attempts = 100000 is out of range: it may be 1 to 65535"
        ),
        (
            "[policy.fast]\nmax = \"1s\"\n",
            "a.toml:2:7: [policy.fast]: initial (2s) is longer than max (1s)"
        ),
        (
            "[policy]\ninitial = 1\n",
            "a.toml:2:11: [policy] has one section for each name: write [policy.NAME] above initial"
        ),
        ("policy = 1\n", "a.toml:1:10: policy is a section, not an integer: write [policy]"),
        (
            "[queue.mail.send]\nworkers = []\n",
            "a.toml:1:1: a name with a dot is quoted: write [queue.\"mail.send\"]"
        ),
        (
            "[queue.mail]\npolicy = \"patent\"\n[policy.patient]\n",
            "a.toml:2:10: no policy \"patent\"; did you mean patient?"
        ),
        ("[queue.\"\"]\n", "a.toml:1:8: the name of a queue has 1 to 255 bytes"),
        (
            "[queue.mail]\nworkers = \"mailer\"\n",
            "a.toml:2:11: workers takes a list of users such as [\"www-data\", 1001], not a string"
        ),
        ("[queue.mail]\nworkers = [-1]\n", "a.toml:2:12: workers: -1 is not a user number"),
        (
            "[journal]\nlevel = \"verbose\"\n",
            "a.toml:2:9: level = \"verbose\" is unknown; known are emerg, alert, crit, err, "
                + "warning, notice, info, debug"
        ),
    ]

    @Test(arguments: mistakes)
    func saysWhereAndWhat(text: String, message: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try configuration(text) }
        #expect(error.description.hasPrefix(message), "\(error)")
    }

    @Test
    func theFileOfTheMistakeIsNamed() throws {
        let error = try #require(throws: ConfigurationError.self) {
            try configuration(
                "[policy.default]\nmax = \"1min\"\n", "[policy.x]\ninitial = \"1h\"\n")
        }
        #expect(
            error.description
                == "b.toml:2:11: [policy.x]: initial (1h) is longer than max (1min)")
    }

    @Test
    func aWholeFileHasNoLine() {
        #expect(ConfigurationError(file: "/x", reason: "gone").description == "/x: gone")
        #expect(ConfigurationError(file: "/x", line: 3, reason: "odd").description == "/x:3: odd")
    }
}
