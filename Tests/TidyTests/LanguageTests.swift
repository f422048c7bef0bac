import Testing

/// What the language offers and this project does without, or not without a reason.
@Suite
struct LanguageTests {
    /// Words that mean a second scheduler beside the event loop.
    private static let concurrency: Set<Substring> = [
        "async", "await", "actor", "Task", "TaskGroup", "MainActor", "AsyncStream",
    ]

    private static let chance: Set<Substring> = [
        "Date", "randomElement", "shuffled", "shuffle", "SystemRandomNumberGenerator",
        "ContinuousClock", "SuspendingClock",
    ]

    @Test
    func sourcesHaveOneLoopAndNoTasks() {
        var problems: [String] = []
        for file in Tree.swiftSources {
            for (index, line) in file.code.enumerated() {
                for word in Words.of(line) where LanguageTests.concurrency.contains(word.text) {
                    problems.append("\(file.place(index)): \(word.text) has no place here")
                }
            }
        }
        expectNone(problems)
    }

    /// Clocks and randomness come in by parameters, so that every run can be repeated.
    @Test
    func timeAndChanceComeFromOutside() {
        var problems: [String] = []
        for file in Tree.swiftSources where file.path != "Sources/SystemKit/Entropy.swift" {
            for (index, line) in file.code.enumerated() {
                for word in Words.of(line) where LanguageTests.chance.contains(word.text) {
                    problems.append("\(file.place(index)): \(word.text) has no place here")
                }
                // A word of its own is a generator that came in by a parameter.
                if line.contains(".random(") {
                    problems.append("\(file.place(index)): .random( has no place here")
                }
            }
        }
        expectNone(problems)
    }

    @Test
    func whatSilencesTheCompilerHasItsReasonAbove() {
        var problems: [String] = []
        for file in Tree.swiftFiles {
            for (index, line) in file.code.enumerated() where !file.hasCommentAbove(index) {
                if let sign = LanguageTests.silencer(in: line) {
                    problems.append("\(file.place(index)): \(sign) without a comment above")
                }
            }
        }
        expectNone(problems)
    }

    @Test(arguments: [
        ("let x = y!", "force unwrap"), ("a[0]!.b", "force unwrap"), ("f()!", "force unwrap"),
        ("var x: Int!", "force unwrap"), ("try! f()", "try!"), ("x as! Y", "as!"),
        ("@unchecked Sendable", "@unchecked"), ("nonisolated(unsafe) var", "nonisolated(unsafe)"),
        ("a != b", nil), ("!a && !b", nil), ("if !x(y) {", nil), ("a!=b", nil), ("(!a)", nil),
    ])
    func findsSilencers(line: String, sign: String?) {
        #expect(LanguageTests.silencer(in: line) == sign)
    }

    private static func silencer(in line: String) -> String? {
        for sign in ["@unchecked", "nonisolated(unsafe)", "try!", "as!", "unsafeBitCast"]
        where line.contains(sign) {
            return sign
        }
        var previous: Character = " "
        for (character, next) in zip(line, line.dropFirst() + " ") {
            let endsValue = Words.isPart(previous) || ")]}>".contains(previous)
            if character == "!", next != "=", endsValue { return "force unwrap" }
            previous = character
        }
        return nil
    }
}
