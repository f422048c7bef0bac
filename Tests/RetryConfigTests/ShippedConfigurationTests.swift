import RetryModel
import SystemKit
import Testing

@testable import RetryConfig

/// config/retryd.toml is the reference: it must tell the truth about every key.
@Suite
struct ShippedConfigurationTests {
    private let text: String

    init() throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        let bytes = try Files.readAll(root + "/config/retryd.toml", bytesMax: 1 << 20)
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// The file with each `#key = value` switched on.
    private var switchedOn: String {
        lines { line in
            guard line.first == "#", let next = line.dropFirst().first, next.isLetter else {
                return line
            }
            return line.dropFirst()
        }
    }

    /// The examples alone: what stands indented in comments.
    private var examples: String {
        lines { line in line.hasPrefix("#   ") ? line.dropFirst(4) : "" }
    }

    private func lines(_ change: (Substring) -> Substring) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(change)
            .joined(separator: "\n")
    }

    @Test
    func asItIsItChangesNothing() throws {
        #expect(try configuration(text) == .standard)
    }

    @Test
    func theValuesItShowsAreTheDefaults() throws {
        #expect(try configuration(switchedOn) == .standard)
        // And they are read at all: a changed one is noticed.
        let changed = switchedOn.replacing("level = \"info\"", with: "level = \"err\"")
        #expect(try configuration(changed).journalLevel == .error)
    }

    @Test
    func everyKeyIsThere() {
        let sections: [(String, [String])] = [
            ("[limits]", LimitKey.allCases.map(\.rawValue)),
            ("[retention]", RetentionKey.allCases.map(\.rawValue)),
            ("[policy.default]", PolicyKey.allCases.map(\.rawValue)),
            ("[queue.", QueueKey.allCases.map(\.rawValue)),
            ("[destination.default]", DestinationSettingKey.allCases.map(\.rawValue)),
            ("[ramp]", RampKey.allCases.map(\.rawValue)),
            ("[command]", CommandKey.allCases.map(\.rawValue)),
            ("[rules]", RulesKey.allCases.map(\.rawValue)),
            ("[signals]", SignalsKey.allCases.map(\.rawValue)),
            ("[admin]", AdminKey.allCases.map(\.rawValue)),
            ("[journal]", JournalKey.allCases.map(\.rawValue)),
        ]
        #expect(sections.count == SectionKey.allCases.count)
        for (header, keys) in sections {
            guard let start = text.range(of: header) else {
                Issue.record("no section \(header)")
                continue
            }
            let rest = text[start.upperBound...]
            let section = rest.prefix(upTo: rest.range(of: "\n\n\n")?.lowerBound ?? rest.endIndex)
            for key in keys {
                let isShown =
                    section.contains("\n#\(key) = ") || section.contains("\n#   \(key) = ")
                #expect(isShown, "\(header) does not show \(key)")
            }
        }
    }

    @Test
    func theExamplesAreGood() throws {
        // The list of places near the top is indented too and no example.
        let start = try #require(examples.range(of: "[policy.patient]"))
        let result = try configuration(String(examples[start.lowerBound...]))
        #expect(result.policies.map(\.name) == ["default", "patient", "slow"])
        #expect(result.isWorker(110, ofQueue: "mail.send"))
    }
}

extension String {
    /// The first place where another string stands.
    fileprivate func range(of other: String) -> Range<Index>? { ranges(of: other).first }
}

extension Substring {
    fileprivate func range(of other: String) -> Range<Index>? { ranges(of: other).first }
}
