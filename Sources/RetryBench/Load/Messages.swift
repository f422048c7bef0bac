/// The calls that are made, written once.
enum Messages {
    /// 300 bytes, as long as what beanstalkd is given.
    static let payload = [UInt8](repeating: UInt8(ascii: "x"), count: 300)

    /// A failure as an HTTP client tells it: 300 bytes.
    static let failure = Array(
        """
        {"request":{"method":"POST","url":"https://api.example.com/v1/upload/items",\
        "idempotent":true},"received_at":"2026-03-01T12:00:00Z","http":{"status":503,"headers":\
        {"Content-Type":"text/plain","Server":"nginx","X-Request-Id":"0123456789abcdef"},\
        "body":"upstream is busy, try again a little later on"}}
        """.utf8)

    /// Ends each message of Varlink.
    static let end: UInt8 = 0

    /// - Parameter more: Further members of the operation, each with a comma behind it.
    static func submit(queue: String, _ more: String = "") -> [UInt8] {
        precondition(failure.count == 300, "the failure has \(failure.count) bytes")
        return call(
            "Submit",
            """
            {"operation":{\(more)"queue":"\(queue)",\
            "payload":"\(String(decoding: payload, as: UTF8.self))"},\
            "failure":\(String(decoding: failure, as: UTF8.self))}
            """)
    }

    static func lease(queue: String, waitMs: Int) -> [UInt8] {
        call("Lease", #"{"queues":["\#(queue)"],"max":1,"wait_ms":\#(waitMs)}"#)
    }

    /// A stream of attempts, as many at a time as the daemon hands out.
    static func leaseStream(queue: String, max: Int) -> [UInt8] {
        Array(
            """
            {"method":"io.retryd.Lease","parameters":{"queues":["\(queue)"],"max":\(max)},\
            "more":true}
            """.utf8) + [end]
    }

    static func setSignal(_ name: String, isOn: Bool) -> [UInt8] {
        call("SetSignal", #"{"signal":"\#(name)","on":\#(isOn)}"#)
    }

    static let status = call("Status", "{}")

    /// A job for beanstalkd.
    ///
    /// - Parameter delaySeconds: beanstalkd counts in whole ones.
    static func put(delaySeconds: Int) -> [UInt8] {
        Array("put 1024 \(delaySeconds) 3600 \(payload.count)\r\n".utf8) + payload
            + Array("\r\n".utf8)
    }

    private static func call(_ method: String, _ parameters: String) -> [UInt8] {
        Array(#"{"method":"io.retryd.\#(method)","parameters":\#(parameters)}"#.utf8) + [end]
    }
}

/// Looks into answers by hand: a parser would cost as much as the daemon.
enum Answer {
    /// Refuses an error reply. retryd writes compactly, so `{"error"` and `{"parameters"` differ
    /// in the third byte.
    static func check(_ reply: UnsafeRawBufferPointer) throws(BenchError) {
        guard reply.count > 2, reply[2] == UInt8(ascii: "p") else {
            throw .answer("retryd answered \(String(decoding: reply, as: UTF8.self))")
        }
    }

    /// Refuses a line of beanstalkd that does not begin as expected.
    static func check(
        _ line: UnsafeRawBufferPointer, begins word: StaticString
    ) throws(BenchError) {
        guard starts(line, at: 0, with: word) else {
            throw .answer("beanstalkd answered \(String(decoding: line, as: UTF8.self))")
        }
    }

    static func starts(
        _ text: UnsafeRawBufferPointer, at offset: Int, with word: StaticString
    ) -> Bool {
        guard text.count - offset >= word.utf8CodeUnitCount else { return false }
        for index in 0..<word.utf8CodeUnitCount
        where text[offset + index] != word.utf8Start[index] {
            return false
        }
        return true
    }

    /// The whole number at an offset, and where it ends.
    static func number(
        _ text: UnsafeRawBufferPointer, at offset: Int
    ) -> (value: Int64, end: Int) {
        var value: Int64 = 0
        var index = offset
        while index < text.count {
            let digit = text[index] &- 0x30
            guard digit < 10 else { break }
            value = value &* 10 &+ Int64(digit)
            index += 1
        }
        return (value, index)
    }

    /// Behind the first occurrence of a word from an offset on; nil: there is none.
    static func end(
        of word: StaticString, in text: UnsafeRawBufferPointer, from offset: Int = 0
    ) -> Int? {
        let first = word.utf8Start[0]
        var index = offset
        while index + word.utf8CodeUnitCount <= text.count {
            if text[index] == first, starts(text, at: index, with: word) {
                return index + word.utf8CodeUnitCount
            }
            index += 1
        }
        return nil
    }
}
