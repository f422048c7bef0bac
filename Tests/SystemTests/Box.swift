import JSON
import SystemKit
import Testing

/// A booted systemd with retryd installed and the ordinary user `ann` (Tests/Box/systemd-box).
final class Box {
    private let name: String
    private static let script = Tree.root + "/Tests/Box/systemd-box"

    /// - Parameter isInstalled: whether `make install` is run inside.
    init(isInstalled: Bool = true) throws {
        Box.sweep
        name = "test-\(ProcessIdentity.own.process)-\(String(Entropy.seed(), radix: 36))"
        let started = try execute(Box.script, ["start", name])
        try #require(started.status == 0, "\(started)")
        try succeed("useradd --create-home --shell /bin/sh ann")
        if isInstalled { try succeed("make --directory /tree install") }
    }

    deinit {
        // Nothing can be done about a box that does not stop; its name says what it was.
        _ = try? execute(Box.script, ["stop", name])
    }

    /// Stops the boxes of test runs that were killed, once before the first box of this one.
    private static let sweep: Void = {
        for entry in (try? Files.list("/var/tmp")) ?? [] where entry.hasPrefix("retryd-box.test-") {
            let name = entry.dropFirst("retryd-box.".count)
            guard let owner = name.split(separator: "-").dropFirst().first,
                (try? Files.status("/proc/\(owner)")) == .some(nil)
            else { continue }
            _ = try? execute(script, ["stop", String(name)])
        }
    }()

    /// Runs a line of shell inside.
    ///
    /// - Parameter user: who runs it, in his home; nil: root.
    func run(_ line: String, as user: String? = nil) throws -> Outcome {
        // No session of PAM's: many that begin and end at once are more than logind takes.
        let command =
            user.map {
                [
                    "setpriv", "--reuid", $0, "--regid", $0, "--init-groups", "--reset-env", "--",
                    "sh", "-lc", "cd && \(line)",
                ]
            } ?? ["sh", "-c", line]
        // A daemon that does not answer fails a test and does not stop it.
        return try execute(Box.script, ["run", name, "timeout", "60"] + command)
    }

    /// Writes a file, with the directories above it.
    func write(_ path: String, _ content: String) throws {
        // The quoted word keeps the shell from looking into what stands between.
        try succeed(
            "mkdir -p \"$(dirname \(path))\" && cat >\(path) <<'END OF FILE'\n\(content)\n"
                + "END OF FILE")
    }

    /// Runs a line that must exit with 0.
    @discardableResult
    func succeed(
        _ line: String, as user: String? = nil, _ location: SourceLocation = #_sourceLocation
    ) throws -> Outcome {
        let outcome = try run(line, as: user)
        try #require(outcome.status == 0, "\(outcome)", sourceLocation: location)
        return outcome
    }

    /// Looks again and again until a line exits with 0.
    func await(
        _ line: String, as user: String? = nil, withinSeconds seconds: Double = 20,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let end = Clocks.monotonicUsec() + Int64(seconds * 1_000_000)
        var outcome = try run(line, as: user)
        while outcome.status != 0, Clocks.monotonicUsec() < end {
            Clocks.sleep(ms: 100)
            outcome = try run(line, as: user)
        }
        let journal = outcome.status == 0 ? "" : try run("journalctl -n 40 --no-pager").output
        try #require(
            outcome.status == 0, "not within \(seconds) s: \(outcome)\(journal)",
            sourceLocation: location)
    }

    /// Properties of a unit, by name.
    func properties(of unit: String, _ names: String...) throws -> [String: String] {
        let list = names.joined(separator: ",")
        let shown = try succeed("systemctl show --property=\(list) \(unit)")
        var properties: [String: String] = [:]
        for line in shown.lines {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            properties[String(parts[0])] = String(parts[1])
        }
        return properties
    }

    /// Entries of the journal that match, oldest first, as fields by name.
    func journal(_ matches: String...) throws -> [[String: String]] {
        // What was sent last may still be on its way into the file.
        try succeed("journalctl --sync")
        let shown = try run("journalctl --output=json --all \(matches.joined(separator: " "))")
        return try shown.lines.map { line in
            let parser = JSONParser(lengthMax: 1 << 20, depthMax: 4)
            let members = try #require(try parser.parse(Array(line.utf8)).members)
            var fields: [String: String] = [:]
            for member in members { fields[member.name.string] = member.value.string }
            return fields
        }
    }
}
