import Testing

@testable import RetryDaemon

/// Answers go out in the order of the calls, and none before its batch is stored.
@Suite
struct ReplyQueueTests {
    private var queue = ReplyQueue()

    private func text(_ queue: ReplyQueue) -> String {
        queue.withUnsent { String(decoding: $0, as: UTF8.self) }
    }

    private func append(
        _ text: String, after batch: UInt64, stored: UInt64 = 0, to queue: inout ReplyQueue
    ) {
        Array(text.utf8).withUnsafeBufferPointer {
            queue.append($0, after: batch, stored: stored)
        }
    }

    @Test
    func whatIsStoredGoesOutAtOnce() {
        var queue = queue
        append("a", after: 3, stored: 3, to: &queue)
        #expect(text(queue) == "a")
        #expect(queue.waiting == 0)
    }

    @Test
    func answersWaitForTheirBatches() {
        var queue = queue
        append("a", after: 1, to: &queue)
        append("b", after: 1, to: &queue)
        append("c", after: 2, to: &queue)
        #expect(queue.waiting == 3)
        #expect(text(queue) == "")
        queue.stored(through: 1)
        #expect(text(queue) == "ab")
        #expect(queue.waiting == 1)
        queue.stored(through: 2)
        #expect(text(queue) == "abc")
        #expect(queue.waiting == 0)
    }

    @Test
    func whatIsStoredWaitsBehindWhatIsNot() {
        var queue = queue
        append("a", after: 5, stored: 4, to: &queue)
        append("b", after: 4, stored: 4, to: &queue)
        #expect(text(queue) == "")
        queue.stored(through: 5)
        #expect(text(queue) == "ab")
    }

    @Test
    func aGapHoldsUpWhatIsBehindIt() {
        var queue = queue
        append("a", after: 1, to: &queue)
        let gap = queue.appendGap()
        append("c", after: 1, to: &queue)
        queue.stored(through: 1)
        #expect(text(queue) == "a")
        #expect(queue.waiting == 2)
        queue.fill(gap, with: Array("b".utf8), after: 1)
        queue.stored(through: 1)
        #expect(text(queue) == "abc")
        #expect(queue.waiting == 0)
    }

    @Test
    func aFilledGapStillWaitsForItsBatch() {
        var queue = queue
        let gap = queue.appendGap()
        queue.fill(gap, with: Array("a".utf8), after: 2)
        queue.stored(through: 1)
        #expect(text(queue) == "")
        queue.stored(through: 2)
        #expect(text(queue) == "a")
    }

    @Test
    func gapsKeepTheirNumbersWhenThoseBeforeAreForgotten() {
        var queue = queue
        var sent = ""
        // More than once around the point at which forgotten entries are cut off.
        for round in 1...300 {
            let first = queue.appendGap()
            let second = queue.appendGap()
            append("c", after: UInt64(round), to: &queue)
            queue.fill(second, with: Array("b".utf8), after: 0)
            queue.stored(through: UInt64(round))
            // The last of the round stays behind: the queue is never empty.
            queue.fill(first, with: Array("a".utf8), after: 0)
            let last = queue.appendGap()
            queue.stored(through: UInt64(round))
            queue.fill(last, with: Array("d".utf8), after: 0)
            sent += "abcd"
        }
        queue.stored(through: 300)
        #expect(text(queue) == sent)
        #expect(queue.waiting == 0)
    }

    @Test
    func whenTheStoreFailsEveryWaitingAnswerBecomesTheError() {
        var queue = queue
        append("a", after: 1, to: &queue)
        queue.stored(through: 1)
        append("b", after: 2, to: &queue)
        append("c", after: 2, to: &queue)
        _ = queue.appendGap()
        let filled = queue.appendGap()
        queue.fill(filled, with: Array("d".utf8), after: 3)
        queue.failAll(with: Array("!".utf8))
        #expect(text(queue) == "a!!!!")
        #expect(queue.waiting == 0)
        append("e", after: 3, stored: 3, to: &queue)
        #expect(text(queue) == "a!!!!e")
    }

    @Test
    func whatWasSentIsForgottenAlsoByAReaderWhoIsAlwaysBehind() {
        var queue = queue
        let line = String(repeating: "x", count: 1_000)
        append("yy", after: 0, to: &queue)
        for _ in 0..<2_000 {
            append(line, after: 0, to: &queue)
            // Never all of it.
            queue.markSent(1_000)
        }
        #expect(text(queue) == "xx")
        #expect(queue.released.count < 200_000, "\(queue.released.count)")
    }

    @Test
    func countsWhatASlowReaderMakesItKeep() {
        var queue = queue
        append("abc", after: 0, to: &queue)
        append("de", after: 1, to: &queue)
        #expect(queue.unsentCount == 3)
        #expect(queue.byteCount == 5)
        #expect(!queue.isEmpty)
        queue.markSent(2)
        #expect(queue.byteCount == 3)
        queue.stored(through: 1)
        queue.markSent(3)
        #expect(queue.isEmpty)
    }
}
