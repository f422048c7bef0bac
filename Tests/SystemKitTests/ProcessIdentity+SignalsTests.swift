import Glibc
import Testing

@testable import SystemKit

@Suite struct ProcessIdentitySignalsTests {
    private enum Missing: Error {
        case process
        case output
    }

    @Test func aSignalReachesTheProcessBehindAPidfd() throws {
        let child = try ChildProcess.start(["sleep", "100"])
        guard let pidfd = try ProcessIdentity.open(child.id) else { throw Missing.process }
        try ProcessIdentity.send(.terminate, toProcessBehind: pidfd.rawValue)
        #expect(child.wait() == .killed(.terminate, coreDumped: false))
        // It has ended: nothing happens.
        try ProcessIdentity.send(.terminate, toProcessBehind: pidfd.rawValue)
    }

    @Test func aGroupIsFoundByItsLeaderOrByWhoIsLeft() throws {
        // The leader ends at once, what it started stays in its group.
        let reader = try Pipe()
        let leader = try ChildProcess.start(
            ["setsid", "sh", "-c", "sleep 100 & echo $!"],
            output: .descriptor(reader.writer.rawValue))
        let identity = ProcessIdentity(of: leader.id)
        var bytes = [UInt8](repeating: 0, count: 16)
        guard case .count(let count) = try bytes.withUnsafeMutableBytes({
            try Syscalls.read(reader.reader.rawValue, into: $0)
        }) else { throw Missing.output }
        let member = try #require(
            Int32(String(decoding: bytes[..<(count - 1)], as: UTF8.self)))
        _ = leader.wait()
        guard let pidfd = try ProcessIdentity.open(member) else { throw Missing.process }
        identity.signalGroup(.kill)
        #expect(try Syscalls.wait(for: pidfd.rawValue, .readable, timeoutMs: 5_000))
    }

    @Test func aLaterProcessOfTheSameNumberIsLeftAlone() throws {
        // Made leader of a group of its own, or its number would name no group anyway.
        let other = try ChildProcess.start(["sleep", "100"])
        setpgid(other.id, other.id)
        ProcessIdentity(process: other.id, startTicks: 1).signalGroup(.kill)
        other.send(.terminate)
        #expect(other.wait() == .killed(.terminate, coreDumped: false))
    }
}
