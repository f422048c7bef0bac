import JSON
import RetryModel
import RetryStore
import SystemKit
import Varlink

/// What the store said about keys and event ids whose hash is known in memory.
///
/// Memory holds hashes only; whether a hash means the same key is seen on disk. A call that needs
/// to know is set aside, its connection waits, and it is carried out again with the answer here.
struct Resolution {
    /// The operation that has the key, among those that had its hash when the store was asked.
    struct KeyAnswer {
        var candidates: [OperationID]
        var match: OperationID?
    }

    /// The first decision on the failure of an event, as it is stored.
    struct EventAnswer {
        var candidate: OperationID
        /// Nil: another event has the same hash.
        var decision: [UInt8]?
        /// The text is not on disk any more: its body was replaced, or its attempt is one of the
        /// old ones that go. Then the hash alone must do.
        var isForgotten = false
    }

    var keys: [UInt64: KeyAnswer] = [:]
    var events: [UInt64: EventAnswer] = [:]
    /// Why the store could not say. The call must not go on: it would take a known key for new.
    var failure: String?
}

/// A key or event that must be compared on disk before its call can go on.
struct Question {
    var hash: UInt64
    var text: [UInt8]
    var candidates: [OperationID]
}

extension Engine {
    /// Asks the store, then carries the call out again.
    ///
    /// - Parameters:
    ///   - keys: Keys to compare; - events: event ids to compare.
    func setAside(
        _ call: Call, _ frame: UnsafeRawBufferPointer, _ connection: Connection,
        _ known: Resolution, keys: [Question], events: [Question]
    ) {
        connection.pause = .asking(isOneway: call.oneway)
        let call = SuspendedCall(Array(frame), connection, known)
        for question in keys {
            call.resolution.keys[question.hash] = Resolution.KeyAnswer(
                candidates: question.candidates, match: nil)
            for id in question.candidates {
                read(.attributes, of: id) { result in
                    let parts = call.parts(result)
                    if parts?.key.elementsEqual(question.text) != true { return }
                    call.resolution.keys[question.hash]?.match = id
                }
            }
        }
        for question in events {
            guard let id = question.candidates.first else { continue }
            ask(question, of: id, for: call)
        }
        // Answers of a batch come in the order of its questions: this one is the last.
        read(.attributes, of: OperationID(rawValue: 0)) { [self] _ in takeUp(call) }
    }

    /// The event is that of the told failure or of one of the attempts after it.
    private func ask(_ question: Question, of id: OperationID, for call: SuspendedCall) {
        call.resolution.events[question.hash] = Resolution.EventAnswer(
            candidate: id, decision: nil)
        read(.told, of: id) { result in
            guard let parts = call.parts(result), parts.eventID.elementsEqual(question.text) else {
                return
            }
            call.resolution.events[question.hash]?.decision = Array(parts.decision)
        }
        read(.decisions, of: id) { result in
            guard case .attempts(let attempts) = result.content else {
                _ = call.parts(result)
                return
            }
            // The first one that was decided; later ones are its duplicates.
            for attempt in attempts
            where attempt.parts.eventID.elementsEqual(question.text)
                && !attempt.parts.decision.isEmpty
            {
                call.resolution.events[question.hash]?.decision = Array(attempt.parts.decision)
                return
            }
            let isTrimmed = attempts.first.map { $0.number > 2 } ?? false
            call.resolution.events[question.hash]?.isForgotten =
                isTrimmed || attempts.contains { $0.parts.isOfBody }
        }
    }

    private func takeUp(_ suspended: SuspendedCall) {
        let connection = suspended.connection
        if connection.isClosed { return }
        // The copy lacks the bytes that the parser reads behind a text: parse a padded one.
        var frame = suspended.frame
        frame.append(contentsOf: repeatElement(0, count: JSONParser.padding))
        connection.pause = .none
        frame.withUnsafeBytes { bytes in
            let text = UnsafeRawBufferPointer(rebasing: bytes[..<suspended.frame.count])
            take(text, connection, suspended.resolution)
        }
        if connection.pause == .none { resume(connection) }
        touch(connection)
    }
}

/// A call that was set aside, with a copy of its bytes: the buffer it lay in is read into again.
final class SuspendedCall {
    let frame: [UInt8]
    let connection: Connection
    var resolution: Resolution

    init(_ frame: [UInt8], _ connection: Connection, _ resolution: Resolution) {
        self.frame = frame
        self.connection = connection
        self.resolution = resolution
    }

    /// A body that was asked for; nil: the operation is gone, or reading failed.
    func parts(_ result: ReadResult) -> BodyParts? {
        switch result.content {
        case .body(let parts): return parts
        case .failed(let error): resolution.failure = "\(error)"
        case .missing, .failure, .attempts: break
        }
        return nil
    }
}
