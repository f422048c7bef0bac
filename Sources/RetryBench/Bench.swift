import SystemKit

/// Runs what was asked for and prints the table.
struct Bench {
    let options: Options
    var report = Report()
    /// Nil: beanstalkd is not installed.
    let beanstalkdVersion: String?

    /// - Returns: The exit code: 0 also where targets are missed, 1 for that with `--check`, 64 for
    ///   a wrong command line, 69 when a daemon does not work.
    static func run(arguments: [String]) -> Int32 {
        do {
            let options = try Options(arguments)
            if options.showsHelp {
                try write(Options.help)
                return 0
            }
            ProcessSignal.ignorePipe()
            var bench = Bench(options)
            try bench.measure()
            try write(bench.report.text)
            return options.checksTargets && bench.report.missedCount > 0 ? 1 : 0
        } catch {
            try? StandardStream.error.write("RetryBench: \(error)\n")
            if case .usage = error { return 64 }
            return 69
        }
    }

    private init(_ options: Options) {
        self.options = options
        beanstalkdVersion = Beanstalkd.version()
    }

    private static func write(_ text: String) throws(BenchError) {
        do {
            try StandardStream.output.write(text)
        } catch {
            throw .system(error)
        }
    }

    private mutating func measure() throws(BenchError) {
        describe()
        let shapes = Shape.all.filter { options.wants(.submits($0)) }
        if !shapes.isEmpty { try measureSubmits(shapes) }
        if options.wants(.cycles) { try measureCycles() }
        if options.wants(.lateness) { try measureLateness() }
        if options.wants(.waiting) { try measureWaiting() }
        if options.wants(.destinations) { try measureDestinations() }
        if options.wants(.release) { try measureRelease() }
        if options.wants(.empty) { try measureEmpty() }
        if options.wants(.micro) { try measureMicro() }
    }

    private mutating func describe() {
        let machine = Machine(directory: options.directory)
        report.head.append(machine.description)
        if machine.isInMemory {
            report.head.append(
                "\(options.directory) is in memory: nothing is synced; choose a disk with --dir")
        }
        report.head.append(
            "\(options.rounds) rounds of \(options.roundMs) ms, daemons in turn; medians")
        if let beanstalkdVersion {
            report.head.append(
                "\(beanstalkdVersion) with -f0: synced before each answer, as retryd")
        } else {
            report.head.append(
                "beanstalkd is not installed, so its columns are empty: "
                    + "sudo apt-get install beanstalkd")
        }
    }

    /// Tells on a terminal what is being measured.
    func tell(_ what: String) {
        guard Terminal.isTerminal(StandardStream.error.fileDescriptor) else { return }
        try? StandardStream.error.write("\r\u{1B}[K\(what)")
    }

    func startBeanstalkd(
        _ name: String, _ sync: Beanstalkd.Sync = .always
    ) throws(BenchError) -> Beanstalkd? {
        guard beanstalkdVersion != nil else { return nil }
        return try Beanstalkd(options, "beanstalkd-\(name)", sync)
    }

    func startRetryd(_ name: String) throws(BenchError) -> Retryd {
        try Retryd(options, "retryd-\(name)")
    }
}
