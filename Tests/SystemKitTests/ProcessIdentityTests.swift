import Glibc
import Testing

@testable import SystemKit

struct ProcessIdentityTests {
    private let tail = " 1 4242 0 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 987654 1000 50"

    @Test(arguments: ["cat", "a b", ") Z 1", "((", "x) R (y"])
    func fieldsAreCountedFromTheLastParenthesis(_ name: String) {
        let stat = ProcessIdentity.parseStat(Array("77 (\(name)) S\(tail)".utf8))
        #expect(stat == .init(isEnded: false, startTicks: 987_654))
    }

    @Test func zombieHasEnded() {
        #expect(ProcessIdentity.parseStat(Array("77 (x) Z\(tail)".utf8))?.isEnded == true)
        #expect(ProcessIdentity.parseStat(Array("77 (x) X\(tail)".utf8))?.isEnded == true)
    }

    @Test(arguments: ["", "77", "77 (x", "77 (x) S 1 2 3"])
    func cutFileIsNotRead(_ text: String) {
        #expect(ProcessIdentity.parseStat(Array(text.utf8)) == nil)
    }

    @Test func ownProcessIsAlive() {
        let own = ProcessIdentity.own
        #expect(own.process == getpid())
        #expect(own.startTicks > 0)
        #expect(own.isAlive)
        #expect(ProcessIdentity(process: own.process, startTicks: 0).isAlive)
    }

    @Test func anotherStartIsAnotherProcess() {
        let own = ProcessIdentity.own
        #expect(!ProcessIdentity(process: own.process, startTicks: own.startTicks + 1).isAlive)
        #expect(!ProcessIdentity(process: 0, startTicks: 0).isAlive)
        #expect(!ProcessIdentity(process: -1, startTicks: 0).isAlive)
        #expect(!ProcessIdentity(process: .max, startTicks: 0).isAlive)
    }

    @Test func endedButNotWaitedForIsNotAlive() throws {
        let child = try Child("sleep", "600")
        let identity = ProcessIdentity(of: child.process)
        #expect(identity.startTicks > 0)
        #expect(identity.isAlive)
        kill(child.process, SIGKILL)
        let process = child.process
        try waitUntil("the child is a zombie") { try threadState(process) == "Z" }
        #expect(!identity.isAlive)
    }

    @Test func descriptorIsReadableOnceTheProcessHasEnded() throws {
        let child = try Child("sleep", "600")
        let descriptor = try #require(try ProcessIdentity.open(child.process)?.release())
        let owner = OwnedFD(adopting: descriptor)
        #expect(try !Syscalls.wait(for: owner.rawValue, .readable, timeoutMs: 0))
        kill(child.process, SIGKILL)
        #expect(try Syscalls.wait(for: owner.rawValue, .readable, timeoutMs: 10_000))
    }

    @Test func noProcessHasNoDescriptor() throws {
        #expect(try ProcessIdentity.open(0)?.release() == nil)
        #expect(try ProcessIdentity.open(.max)?.release() == nil)
    }
}
