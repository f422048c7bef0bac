import Glibc
import Synchronization
import Testing

@testable import SystemKit

/// A journald that a test can stop.
private final class Recorder: Sendable {
    let messages = Lock<[String]>([])
    let reached: Wakeup
    let gate: Wakeup
    let isOpen: Atomic<Bool>

    init(isOpen: Bool) throws {
        reached = try Wakeup(reader: .blocking)
        gate = try Wakeup(reader: .blocking)
        self.isOpen = Atomic(isOpen)
    }

    func start(
        level: JournalPriority = .info, bounds: JournalThread.Bounds = .init()
    ) throws -> JournalThread {
        let output = JournalOutput.handler { [self] entry in
            reached.signal()
            if !isOpen.load(ordering: .acquiring) { gate.wait() }
            let line = String(decoding: entry.line(withPrefix: true).dropLast(), as: UTF8.self)
            messages.withLock { $0.append(line) }
        }
        return try JournalThread.start(output: output, level: level, bounds: bounds)
    }

    func open() {
        isOpen.store(true, ordering: .releasing)
        gate.signal()
    }

    var seen: [String] { messages.withLock { $0 } }
}

struct JournalThreadTests {
    @Test func entriesArriveInOrderBeforeStopReturns() throws {
        let recorder = try Recorder(isOpen: true)
        let journal = try recorder.start()
        for number in 0..<500 { journal.write(.info, "\(number)") }
        #expect(journal.stop(timeoutMs: 10_000))
        #expect(recorder.seen == (0..<500).map { "<6>\($0)" })
    }

    @Test func entriesBelowTheLevelAreNotTaken() throws {
        let recorder = try Recorder(isOpen: true)
        let journal = try recorder.start(level: .warning)
        #expect(!journal.takes(.notice))
        journal.write(.notice, "no")
        journal.write(.warning, "yes")
        journal.level = .debug
        #expect(journal.level == .debug)
        journal.write(.debug, "now")
        journal.stop(timeoutMs: 10_000)
        #expect(recorder.seen == ["<4>yes", "<7>now"])
    }

    @Test func lossIsToldWhereItHappened() throws {
        let recorder = try Recorder(isOpen: false)
        let journal = try recorder.start(bounds: .init(entriesMax: 3, bytesMax: 1_000))
        journal.write(.info, "being sent")
        recorder.reached.wait()
        for number in 1...6 { journal.write(.info, "\(number)") }
        recorder.open()
        try waitUntil("the loss is told") { recorder.seen.count == 4 }
        journal.write(.info, "after")
        #expect(journal.stop(timeoutMs: 10_000))
        #expect(
            recorder.seen == [
                "<6>being sent", "<6>1", "<6>2",
                "<4>4 entries were dropped here: the journal was too slow and the queue is full",
                "<6>after",
            ])
    }

    @Test func bytesAreBoundedToo() throws {
        let recorder = try Recorder(isOpen: true)
        let journal = try recorder.start(bounds: .init(entriesMax: 100, bytesMax: 64))
        journal.write(.info, String(repeating: "x", count: 64))
        try waitUntil("the loss is told") { recorder.seen.count == 1 }
        journal.write(.info, "fits")
        #expect(journal.stop(timeoutMs: 10_000))
        #expect(
            recorder.seen == [
                "<4>1 entry was dropped here: the journal was too slow and the queue is full",
                "<6>fits",
            ])
    }

    @Test func stoppedJournalHoldsUpNobody() throws {
        let recorder = try Recorder(isOpen: false)
        let journal = try recorder.start()
        journal.write(.info, "stuck")
        recorder.reached.wait()
        #expect(!journal.stop(timeoutMs: 10))
        recorder.open()
        try waitUntil("the entry is sent after all") { recorder.seen == ["<6>stuck"] }
    }

    @Test func standardErrorGetsLinesWithPriorities() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            let journal = try JournalThread.start(.standardError, level: .debug)
            journal.write(.warning, "two\nlines", fields: [JournalField("HIDDEN", "x")])
            journal.write(.debug, "more")
            precondition(journal.stop(timeoutMs: 10_000))
        }
        let content = try #require(result?.standardErrorContent)
        let text = String(decoding: content, as: UTF8.self)
        #expect(text.contains("<4>two\\x0alines\n<7>more\n"))
        #expect(!text.contains("HIDDEN"))
    }
}
