import SystemKit

/// What the command line asks for.
struct Options {
    /// Nil: the one beside this program.
    var retryd: String?
    /// Where the directories of the daemons are made.
    var directory = Environment.value("TMPDIR") ?? "/var/tmp"
    var isQuick = false
    /// Nothing named: everything.
    var only: Set<Part> = []
    var checksTargets = false
    var showsHelp = false

    static let help = """
        RetryBench: measures retryd, and beanstalkd -f0 beside it on the same disk.

        Usage: RetryBench [--quick] [--only NAME] [--check] [--retryd PATH] [--dir DIR]

          --quick        fewer and shorter rounds, 200 k waiting operations in place of 1 M
          --only NAME    one part, or several when given again: 1x1, 16x1, 1x64, 16x16
                         (all four: submits), cycles, lateness, waiting, destinations,
                         release, empty, micro
          --check        exit with 1 when a target is missed
          --retryd PATH  the daemon to measure (default: the one beside this program)
          --dir DIR      where both daemons keep their data (default: $TMPDIR or /var/tmp);
                         must be on the disk that is meant, not in memory
          --help

        What is measured and how to read it: docs/PERFORMANCE.md.

        """

    /// - Throws: The sentence to show.
    init(_ arguments: [String]) throws(BenchError) {
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            func value() throws(BenchError) -> String {
                guard let value = rest.popFirst() else {
                    throw .usage("\(argument) needs a value; see RetryBench --help")
                }
                return value
            }
            switch argument {
            case "--quick": isQuick = true
            case "--only": only.formUnion(try Part.named(try value()))
            case "--check": checksTargets = true
            case "--retryd": retryd = try value()
            case "--dir": directory = try value()
            case "--help", "-h": showsHelp = true
            default: throw .usage("unknown argument \(argument); see RetryBench --help")
            }
        }
    }

    func wants(_ part: Part) -> Bool {
        only.isEmpty || only.contains(part)
    }

    // MARK: Sizes

    /// Odd, so that the median is a round that was run.
    var rounds: Int { isQuick ? 3 : 5 }
    var roundMs: Int64 { isQuick ? 400 : 1_500 }
    var waitingCount: Int { isQuick ? 200_000 : 1_000_000 }
    var heldCount: Int { isQuick ? 20_000 : 100_000 }
    var timerCount: Int { isQuick ? 20_000 : 100_000 }
    var idleMs: Int64 { isQuick ? 3_000 : 10_000 }
}

/// What can be measured alone.
enum Part: Hashable {
    case submits(Shape)
    case cycles
    case lateness
    case waiting
    case destinations
    case release
    case empty
    case micro

    static func named(_ name: String) throws(BenchError) -> Set<Part> {
        if name == "submits" { return Set(Shape.all.map { .submits($0) }) }
        for shape in Shape.all where shape.name == name { return [.submits(shape)] }
        switch name {
        case "cycles": return [.cycles]
        case "lateness": return [.lateness]
        case "waiting": return [.waiting]
        case "destinations": return [.destinations]
        case "release": return [.release]
        case "empty": return [.empty]
        case "micro": return [.micro]
        default: throw .usage("nothing to measure is called \(name); see RetryBench --help")
        }
    }
}

/// Why there are no figures.
enum BenchError: Error {
    case usage(String)
    /// A daemon did not start, or ended by itself.
    case daemon(String)
    /// A daemon answered something else than expected.
    case answer(String)
    case system(SystemError)
    case socket(UnixSocketError)
}

extension BenchError: CustomStringConvertible {
    var description: String {
        switch self {
        case .usage(let text), .daemon(let text), .answer(let text): text
        case .system(let error): error.description
        case .socket(let error): error.description
        }
    }
}
