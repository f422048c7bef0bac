import Testing

@testable import SystemKit

struct MailboxTests {
    @Test func messagesOfManyThreadsArriveOnceAndInOrder() throws {
        let mailbox = try Mailbox<Int>(reader: .blocking)
        let senders = try (0..<4).map { sender in
            try Thread.spawn(name: "sender") {
                for number in 0..<2_000 { mailbox.put(sender * 10_000 + number) }
            }
        }
        var received: [Int] = []
        var taken: [Int] = []
        while received.count < 8_000 {
            mailbox.waitAndTakeAll(into: &taken)
            received += taken
        }
        for sender in senders { sender.join() }
        for sender in 0..<4 {
            let own = received.filter { $0 / 10_000 == sender }
            #expect(own == (0..<2_000).map { sender * 10_000 + $0 })
        }
        #expect(!mailbox.takeAllWithoutWaiting(into: &taken))
    }

    @Test func pollingReaderIsReadableUntilItTakes() throws {
        let mailbox = try Mailbox<String>(reader: .polling)
        var taken: [String] = []
        let descriptor = mailbox.wakeup.fileDescriptor
        #expect(try !Syscalls.wait(for: descriptor, .readable, timeoutMs: 0))
        mailbox.put("a")
        mailbox.put("b")
        #expect(try Syscalls.wait(for: descriptor, .readable, timeoutMs: 0))
        mailbox.takeAll(into: &taken)
        #expect(taken == ["a", "b"])
        #expect(try !Syscalls.wait(for: descriptor, .readable, timeoutMs: 0))
        mailbox.takeAll(into: &taken)
        #expect(taken == [])
    }

    @Test func messagesTakenWithoutWaitingLeaveNoFalseWakeUp() throws {
        let mailbox = try Mailbox<Int>(reader: .blocking)
        var taken: [Int] = []
        mailbox.put(1)
        #expect(mailbox.takeAllWithoutWaiting(into: &taken))
        #expect(taken == [1])
        let sender = try Thread.spawn(name: "sender") { mailbox.put(2) }
        // The signal of the first message is still there; it must not end the wait.
        mailbox.waitAndTakeAll(into: &taken)
        #expect(taken == [2])
        sender.join()
    }
}
