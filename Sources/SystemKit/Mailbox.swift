/// Messages from any thread to one. The order of one sender's messages is kept.
package final class Mailbox<Message: Sendable>: Sendable {
    @usableFromInline
    let messages = Lock<[Message]>([])
    /// What the receiver watches or sleeps on.
    package let wakeup: Wakeup

    package init(reader: Wakeup.Reader) throws(SystemError) {
        wakeup = try Wakeup(reader: reader)
    }

    /// Hands a message over and wakes the receiver unless it has yet to see an earlier one.
    @inlinable
    package func put(_ message: Message) {
        let wasEmpty = messages.withLock { messages in
            messages.append(message)
            return messages.count == 1
        }
        if wasEmpty { wakeup.signal() }
    }

    /// Takes all messages that have come, for a polling receiver.
    ///
    /// - Parameter taken: replaced by them. Handing the same array in again each time exchanges
    ///   two buffers for ever, so nothing is allocated.
    @inlinable
    package func takeAll(into taken: inout [Message]) {
        taken.removeAll(keepingCapacity: true)
        // Signals first: one that comes in between is then at worst needless, never lost.
        wakeup.drain()
        messages.withLock { swap(&$0, &taken) }
    }

    /// Takes all messages that have come without touching the wake-up: a blocking receiver that
    /// still looks round before it sleeps.
    ///
    /// - Returns: whether there were any.
    @inlinable
    package func takeAllWithoutWaiting(into taken: inout [Message]) -> Bool {
        taken.removeAll(keepingCapacity: true)
        messages.withLock { swap(&$0, &taken) }
        return !taken.isEmpty
    }

    /// Sleeps until there are messages and takes them all, for a blocking receiver.
    @inlinable
    package func waitAndTakeAll(into taken: inout [Message]) {
        // A wake-up may be left over from messages that were taken without waiting.
        while !takeAllWithoutWaiting(into: &taken) { wakeup.wait() }
    }
}
