import JSON
import RetryModel
import RetryStore
import SystemKit
import Varlink

/// From a readable connection to calls.
extension Engine {
    /// A connection is ready for what the event says.
    func ready(_ event: PollEvent) {
        guard let connection = connection(event.token) else { return }
        do throws(SystemError) {
            if event.events.contains(.writable) { try send(connection) }
            if connection.isClosed { return }
            if event.events.contains(.readable), connection.interest.contains(.readable) {
                try receive(connection)
            } else if event.events.contains(.hangUp) || event.events.contains(.error) {
                hungUp(connection)
            }
        } catch {
            // The peer is gone in the middle (ECONNRESET, EPIPE): nothing it could be told.
            close(connection)
        }
    }

    private func receive(_ connection: Connection) throws(SystemError) {
        let space = connection.splitter.freeSpace()
        switch try Syscalls.receive(connection.socket.rawValue, into: space) {
        case .wouldBlock:
            return
        case .end:
            if connection.pause == .stream { return close(connection) }
            // It goes when all it asked for is answered and sent.
            company.left(&connection.expected)
            connection.isEnding = true
            touch(connection)
        case .count(let count):
            connection.splitter.filled(count)
            takeCalls(connection)
        }
    }

    /// Both directions are shut while the connection is not read from.
    private func hungUp(_ connection: Connection) {
        switch connection.pause {
        case .asking, .running:
            // What was sent before is carried out all the same, as `oneway` calls expect: a call
            // is under way, and further ones may lie in the socket.
            connection.hasHungUp = true
            touch(connection)
        case .none, .waiting, .stream:
            close(connection)
        }
    }

    /// Carries out the calls that have arrived, as far as nothing holds them up.
    func takeCalls(_ connection: Connection) {
        do throws(FrameError) {
            while !connection.isClosed, connection.pause == .none, !connection.isBroken,
                !connection.isThrottled, hasRoom(for: connection),
                let frame = try connection.splitter.next()
            {
                company.came(&connection.expected)
                take(frame, connection, Resolution())
                charge(connection)
                if connection.replies.waiting >= Limits.pipelineMax || answerRoom(connection) <= 0 {
                    holdUp(connection)
                }
                callsSinceHandOver += 1
                counters.calls += 1
                if callsSinceHandOver & 15 == 0, companyWaitUsec == nil { handOver() }
            }
        } catch {
            giveUp(connection, "\(error)")
        }
        touch(connection)
    }

    /// What comes is not the protocol: nothing further is read. There is no reply that fits
    /// (UAPI.20); the calls before it are answered, then the connection is closed.
    private func giveUp(_ connection: Connection, _ reason: String) {
        journal.closed(connection.peer, reason: reason, at: now)
        connection.isBroken = true
        connection.isEnding = true
    }

    /// Takes one message as a call.
    func take(
        _ frame: UnsafeRawBufferPointer, _ connection: Connection, _ resolution: Resolution
    ) {
        let message: JSONValue
        do throws(JSONError) {
            message = try parser.parse(padded: frame)
        } catch {
            guard let head = CallHead(scanning: frame) else {
                return giveUp(connection, "malformed message: \(error)")
            }
            return refuse(error, head, connection)
        }
        let call: Call
        do throws(CallError) {
            call = try Call(message)
        } catch {
            return giveUp(connection, "malformed message: \(error)")
        }
        carryOut(call, frame, connection, resolution)
    }

    /// Answers a call whose text is not taken: it is one call, and the stream goes on.
    private func refuse(_ error: JSONError, _ head: CallHead, _ connection: Connection) {
        if head.oneway { return }
        let reason =
            "not taken as JSON: \(error.message) (at most \(Limits.messageDepthMax) containers "
            + "within each other, numbers of 64 bits, UTF-8)"
        answer(connection) { writer in
            writer.error(.invalidParameter("parameters", reason: reason))
        }
    }

    /// A call is over that held the connection up.
    func resume(_ connection: Connection) {
        connection.pause = .none
        takeCalls(connection)
    }

    // MARK: Room in the batch

    /// Whether another call fits into the batch that fills. A disk that hangs must not fill the
    /// memory: the connection goes on when a batch was handed over.
    private func hasRoom(for connection: Connection) -> Bool {
        if filling.byteCount < Limits.batchBytesMax { return true }
        if let token = connection.token, !connection.waitsForRoom {
            connection.waitsForRoom = true
            waitingForRoom.append(token)
        }
        return false
    }

    /// Goes on with the connections that found no room, as far as there is room now.
    func useRoom() {
        while filling.byteCount < Limits.batchBytesMax, !waitingForRoom.isEmpty {
            let tokens = waitingForRoom
            waitingForRoom = []
            for token in tokens {
                guard let connection = connection(token) else { continue }
                connection.waitsForRoom = false
                takeCalls(connection)
            }
        }
    }
}
