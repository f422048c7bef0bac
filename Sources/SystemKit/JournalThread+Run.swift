/// Where a journal thread's entries go.
enum JournalOutput: Sendable {
    case journal
    case standardError
    /// Gets each entry: for tests, which have no journald.
    case handler(@Sendable (JournalEntry) -> Void)
}

extension JournalThread {
    /// The thread's work: sends what waits, in order, until it is told to stop.
    func run() {
        var taken: [JournalEntry] = []
        let withPrefix = !Terminal.isTerminal(StandardStream.error.fileDescriptor)
        while take(&taken) {
            if taken.isEmpty { hasEntries.wait() }
            for entry in taken {
                send(entry, withPrefix: withPrefix)
                queue.withLock { queue in
                    queue.entryCount -= 1
                    queue.byteCount -= entry.byteCount
                }
            }
        }
        hasEnded.signal()
    }

    /// Takes what waits; a loss follows as an entry of its own.
    ///
    /// - Returns: false if nothing is left and the thread shall end.
    private func take(_ taken: inout [JournalEntry]) -> Bool {
        taken.removeAll(keepingCapacity: true)
        return queue.withLock { queue in
            swap(&queue.waiting, &taken)
            if queue.droppedCount > 0 {
                let notice = JournalThread.notice(ofDropped: queue.droppedCount)
                queue.droppedCount = 0
                queue.entryCount += 1
                queue.byteCount += notice.byteCount
                taken.append(notice)
            }
            return !taken.isEmpty || !queue.isStopping
        }
    }

    private static func notice(ofDropped count: UInt64) -> JournalEntry {
        let entries = count == 1 ? "1 entry was" : "\(count) entries were"
        return JournalEntry(
            priority: .warning,
            message: "\(entries) dropped here: the journal was too slow and the queue is full",
            fields: [JournalField("DROPPED_ENTRIES", count)])
    }

    private func send(_ entry: JournalEntry, withPrefix: Bool) {
        switch output {
        case .handler(let handler):
            handler(entry)
        case .journal:
            do {
                try Journal.send(entry)
            } catch {
                // An entry too long for journald, or journald is gone: better seen than lost.
                writeLine(entry, withPrefix: withPrefix)
            }
        case .standardError:
            writeLine(entry, withPrefix: withPrefix)
        }
    }

    /// Nobody is left to tell if standard error fails too.
    private func writeLine(_ entry: JournalEntry, withPrefix: Bool) {
        try? entry.line(withPrefix: withPrefix).span.withUnsafeBytes {
            (bytes) throws(SystemError) in try StandardStream.error.write(bytes)
        }
    }
}
