import CLinux

/// How a runner's command ended, as the runner leaves it in its result file:
///
///     exited CODE | killed SIGNAL CORE-DUMPED BY-RUNNER | refused STEP ERRNO
///     timed-out 0|1
///     ran-ms NUMBER
///     stderr COUNT TOTAL
///
/// and then the last COUNT of TOTAL bytes of standard error.
package struct RunnerResult: Hashable, Sendable {
    /// The end of its process, or why there was none.
    package enum End: Hashable, Sendable {
        case exited(code: Int32)
        /// - Parameter byRunner: the runner's own SIGKILL was sent before, because it took too
        ///   long or did not stop.
        case killed(ProcessSignal, coreDumped: Bool, byRunner: Bool)
        /// The kernel did not let it run.
        case refused(Step, code: Int32)
    }

    /// What was being done for the command when the kernel refused.
    package enum Step: Hashable, Sendable {
        case fork
        case setGroups
        case setGroup
        case setUser
        case enterDirectory
        case execute

        /// The call that failed, as in the manual.
        package var syscall: String {
            switch self {
            case .fork: "fork"
            case .setGroups: "setgroups"
            case .setGroup: "setresgid"
            case .setUser: "setresuid"
            case .enterDirectory: "chdir"
            case .execute: "execve"
            }
        }
    }

    package var end: End
    /// It took longer than it may and was stopped.
    package var timedOut: Bool
    package var ranMs: Int64
    /// The end of standard error.
    package var errorTail: [UInt8]

    package init(end: End, timedOut: Bool, ranMs: Int64, errorTail: [UInt8]) {
        self.end = end
        self.timedOut = timedOut
        self.ranMs = ranMs
        self.errorTail = errorTail
    }

    /// The largest result file: the tail and a few words.
    package static let bytesMax = 8 * 1_024

    /// Reads a result file.
    ///
    /// - Returns: nil where the content is none, as after a loss of power.
    package init?(parsing content: [UInt8]) {
        var lines = Lines(rest: content[...])
        guard let first = lines.next(), let end = End(first),
            let timedOut = lines.numbers(after: "timed-out", count: 1),
            let ran = lines.numbers(after: "ran-ms", count: 1),
            let error = lines.numbers(after: "stderr", count: 2),
            lines.rest.count == Int(error[0])
        else { return nil }
        var tail = Array(lines.rest)
        // What was cut does not begin inside a character: bytes 10xxxxxx continue one in UTF-8, at
        // most three of them.
        let isCut = error[1] > error[0]
        if isCut { tail.removeFirst(min(3, tail.prefix { $0 & 0xC0 == 0x80 }.count)) }
        self.init(end: end, timedOut: timedOut[0] == 1, ranMs: ran[0], errorTail: tail)
    }
}

/// Lines of a word and numbers.
private struct Lines {
    struct Line {
        var word: String
        var numbers: [Int64]
    }

    var rest: ArraySlice<UInt8>

    mutating func next() -> Line? {
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let words = rest[..<end].split(separator: UInt8(ascii: " ")).map {
            String(decoding: $0, as: UTF8.self)
        }
        rest = rest[(end + 1)...]
        let numbers = words.dropFirst().compactMap { Int64($0) }
        guard let word = words.first, numbers.count == words.count - 1 else { return nil }
        return Line(word: word, numbers: numbers)
    }

    mutating func numbers(after word: String, count: Int) -> [Int64]? {
        guard let line = next(), line.word == word, line.numbers.count == count else { return nil }
        return line.numbers
    }
}

extension RunnerResult.End {
    fileprivate init?(_ line: Lines.Line) {
        let numbers = line.numbers
        switch (line.word, numbers.count) {
        case ("exited", 1):
            self = .exited(code: Int32(clamping: numbers[0]))
        case ("killed", 3):
            let signal = ProcessSignal(rawValue: Int32(clamping: numbers[0]))
            self = .killed(signal, coreDumped: numbers[1] == 1, byRunner: numbers[2] == 1)
        case ("refused", 2):
            guard let step = RunnerResult.Step(number: numbers[0]) else { return nil }
            self = .refused(step, code: Int32(clamping: numbers[1]))
        case _:
            return nil
        }
    }
}

extension RunnerResult.Step {
    fileprivate init?(number: Int64) {
        switch UInt32(truncatingIfNeeded: number) {
        case CLinux_RunnerStep_fork.rawValue: self = .fork
        case CLinux_RunnerStep_groups.rawValue: self = .setGroups
        case CLinux_RunnerStep_group.rawValue: self = .setGroup
        case CLinux_RunnerStep_user.rawValue: self = .setUser
        case CLinux_RunnerStep_directory.rawValue: self = .enterDirectory
        case CLinux_RunnerStep_execute.rawValue: self = .execute
        case _: return nil
        }
    }
}
