import Glibc
import Testing

@testable import SystemKit

struct PeerCredentialsTests {
    @Test func tellWhoConnected() throws {
        let pair = try UnixSocket.Pair()
        let peer = try PeerCredentials(of: pair.left.rawValue)
        #expect(peer.user == geteuid())
        #expect(peer.group == getegid())
        #expect(peer.process == getpid())
        let count = getgroups(0, nil)
        var groups = [gid_t](repeating: 0, count: Int(count))
        #expect(getgroups(count, &groups) == count)
        #expect(peer.groups == groups)
    }

    /// More groups than the first guess has room for. Setting groups needs root.
    @Test(.enabled(if: geteuid() == 0))
    func manyGroupsAreAllTold() async {
        await #expect(processExitsWith: .success) {
            let groups = (1_000..<1_100).map { gid_t($0) }
            guard setgroups(groups.count, groups) == 0 else { fatalError("setgroups") }
            let pair = try UnixSocket.Pair()
            let peer = try PeerCredentials(of: pair.left.rawValue)
            precondition(peer.groups == groups)
            precondition(peer.isMember(of: 1_099))
            precondition(peer.isMember(of: getegid()))
            precondition(!peer.isMember(of: 1_100))
        }
    }

    @Test func processDescriptorIsThePeers() throws {
        let pair = try UnixSocket.Pair()
        let descriptor = try #require(
            try PeerCredentials.processDescriptor(of: pair.left.rawValue)?.release())
        let owner = OwnedFD(adopting: descriptor)
        let info = try Files.readAll("/proc/self/fdinfo/\(owner.rawValue)", bytesMax: 4_096)
        #expect(String(decoding: info, as: UTF8.self).contains("Pid:\t\(getpid())\n"))
        // This process has not ended.
        #expect(try !Syscalls.wait(for: owner.rawValue, .readable, timeoutMs: 0))
    }
}
