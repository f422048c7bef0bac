import SystemKit
import Testing

@Suite struct RunnerResultTests {
    private func parse(_ text: String) -> RunnerResult? {
        RunnerResult(parsing: Array(text.utf8))
    }

    @Test func readsTheThreeEnds() {
        #expect(
            parse("exited 75\ntimed-out 0\nran-ms 12\nstderr 4 4\na\nb\n")
                == RunnerResult(
                    end: .exited(code: 75), timedOut: false, ranMs: 12,
                    errorTail: Array("a\nb\n".utf8)))
        #expect(
            parse("killed 9 0 1\ntimed-out 1\nran-ms 1\nstderr 0 0\n")
                == RunnerResult(
                    end: .killed(.kill, coreDumped: false, byRunner: true), timedOut: true,
                    ranMs: 1, errorTail: []))
        #expect(
            parse("killed 11 1 0\ntimed-out 0\nran-ms 1\nstderr 0 0\n")?.end
                == .killed(ProcessSignal(rawValue: 11), coreDumped: true, byRunner: false))
        #expect(
            parse("refused 5 13\ntimed-out 0\nran-ms 0\nstderr 0 0\n")?.end
                == .refused(.enterDirectory, code: 13))
    }

    @Test func aTailThatWasCutDoesNotBeginInsideACharacter() {
        let cut = Array("exited 1\ntimed-out 0\nran-ms 1\nstderr 4 9\n".utf8)
        let half = cut + [0xA9, 0xC3, 0xA9, 0x0A]
        #expect(RunnerResult(parsing: half)?.errorTail == [0xC3, 0xA9, 0x0A])
        // What the command wrote itself stays.
        let whole = Array("exited 1\ntimed-out 0\nran-ms 1\nstderr 1 1\n".utf8) + [0xA9]
        #expect(RunnerResult(parsing: whole)?.errorTail == [0xA9])
    }

    @Test(arguments: [
        "", "exited 75", "exited 75\n", "exited x\ntimed-out 0\nran-ms 1\nstderr 0 0\n",
        "ended 75\ntimed-out 0\nran-ms 1\nstderr 0 0\n",
        "exited 75 1\ntimed-out 0\nran-ms 1\nstderr 0 0\n",
        "exited 75\ntimed-out 0\nran-ms 1\nstderr 3 3\nab",
        "refused 9 13\ntimed-out 0\nran-ms 0\nstderr 0 0\n", "\0\0\0\0",
    ])
    func refusesWhatIsNone(text: String) {
        #expect(parse(text) == nil)
    }
}
