import Glibc
import Testing

@testable import SystemKit

struct PollSetTests {
    @Test func tellsWhoIsReadyAndWhatFor() throws {
        let set = try PollSet()
        let first = try UnixSocket.Pair()
        let second = try UnixSocket.Pair()
        let firstToken = try set.add(first.left.rawValue, .readable)
        let secondToken = try set.add(second.left.rawValue, .readable)
        #expect(set.count == 2)
        #expect(firstToken.slot == 0)
        #expect(secondToken.slot == 1)
        var events: [PollEvent] = []
        try set.wait(into: &events, timeoutMs: 0)
        #expect(events == [])
        try write("x", to: second.right.rawValue)
        try set.wait(into: &events, timeoutMs: 1_000)
        #expect(events == [PollEvent(token: secondToken, events: .readable)])
        try set.modify(firstToken, .writable)
        try set.modify(secondToken, [])
        try set.wait(into: &events, timeoutMs: 1_000)
        #expect(events == [PollEvent(token: firstToken, events: .writable)])
    }

    @Test func waitsForMicroseconds() throws {
        let set = try PollSet()
        let pair = try UnixSocket.Pair()
        let token = try set.add(pair.left.rawValue, .readable)
        var events = [PollEvent(token: token, events: .readable)]
        let start = Clocks.monotonicUsec()
        try set.wait(into: &events, timeoutUsec: 2_000)
        #expect(events == [])
        #expect(Clocks.monotonicUsec() - start >= 2_000)
        try write("x", to: pair.right.rawValue)
        try set.wait(into: &events, timeoutUsec: 1_000_000)
        #expect(events == [PollEvent(token: token, events: .readable)])
    }

    @Test func eventOfARemovedMemberIsRecognisedAfterReuse() throws {
        let set = try PollSet()
        let old = try UnixSocket.Pair()
        let token = try set.add(old.left.rawValue, .readable)
        try write("x", to: old.right.rawValue)
        var events: [PollEvent] = []
        try set.wait(into: &events, timeoutMs: 1_000)
        // What serving an earlier event of the same batch may do:
        set.remove(token)
        let new = try UnixSocket.Pair()
        let newToken = try set.add(new.left.rawValue, .readable)
        #expect(newToken.slot == token.slot)
        #expect(newToken != token)
        #expect(events.map(\.token) == [token])
        #expect(!set.contains(token))
        #expect(set.contains(newToken))
    }

    @Test func maxLeavesTheRestReady() throws {
        let set = try PollSet(eventsMax: 2)
        let wakeups = try (0..<3).map { _ in try Wakeup(reader: .polling) }
        for wakeup in wakeups {
            _ = try set.add(wakeup.fileDescriptor, .readable)
            wakeup.signal()
        }
        var events: [PollEvent] = []
        try set.wait(into: &events, max: 1, timeoutMs: 0)
        #expect(events.map(\.token.slot) == [0])
        wakeups[0].drain()
        try set.wait(into: &events, timeoutMs: 0)
        #expect(Set(events.map(\.token.slot)) == [1, 2])
        // Otherwise an optimised build closes them after their last use above.
        withExtendedLifetime(wakeups) {}
    }

    @Test func isOneReadableSourceOfALoop() throws {
        let loop = try EventLoop()
        let set = try PollSet()
        let pairs = try (0..<3).map { _ in try Wakeup(reader: .polling) }
        for pair in pairs { _ = try set.add(pair.fileDescriptor, .readable) }
        var turns: [Int] = []
        let source = try loop.addIO(set.fileDescriptor, .readable, priority: .clients) { _ in
            var events: [PollEvent] = []
            try set.wait(into: &events, timeoutMs: 0)
            for event in events { pairs[event.token.slot].drain() }
            turns.append(events.count)
        }
        for pair in pairs { pair.signal() }
        while try loop.runOnce(timeoutUsec: 0) {}
        #expect(turns == [3])
        source.close()
    }

    @Test func hangUpIsToldUnasked() throws {
        let set = try PollSet()
        let left = try socketWithoutPeer()
        let token = try set.add(left.rawValue, [])
        var events: [PollEvent] = []
        try set.wait(into: &events, timeoutMs: 1_000)
        #expect(events == [PollEvent(token: token, events: .hangUp)])
    }

    @Test func failedAddLeavesTheSetAsItWas() throws {
        let set = try PollSet()
        let pair = try UnixSocket.Pair()
        let token = try set.add(pair.left.rawValue, .readable)
        let error = #expect(throws: SystemError.self) {
            _ = try set.add(pair.left.rawValue, .readable)
        }
        #expect(error?.code == EEXIST)
        #expect(set.count == 1)
        #expect(set.contains(token))
        #expect(try set.add(pair.right.rawValue, .readable).slot == 1)
    }

    @Test func endedRegistrationTraps() async {
        await #expect(processExitsWith: .failure) {
            let set = try PollSet()
            let pair = try UnixSocket.Pair()
            let token = try set.add(pair.left.rawValue, .readable)
            set.remove(token)
            set.remove(token)
        }
    }
}
