import Glibc
import Testing

@testable import SystemKit

struct SourceTests {
    private let loop: EventLoop

    init() throws {
        loop = try EventLoop()
    }

    @Test func timerFiresOnceAtItsMomentAndNeverBefore() throws {
        var firedUsec: [Int64] = []
        let timer = try loop.addTimer(priority: .timer) { [loop] in
            firedUsec.append(Clocks.boottimeUsec())
            #expect(loop.nowUsec <= Clocks.boottimeUsec())
        }
        #expect(timer.armedUsec == nil)
        let dueUsec = Clocks.boottimeUsec() + 15_000
        timer.arm(atUsec: dueUsec)
        #expect(timer.armedUsec == dueUsec)
        try loop.runOnce(timeoutUsec: 5_000_000)
        #expect(firedUsec.count == 1)
        #expect(try #require(firedUsec.first) >= dueUsec)
        #expect(timer.armedUsec == nil)
        #expect(try !loop.runOnce(timeoutUsec: 5_000))
        timer.close()
    }

    @Test func timerInThePastFiresAtOnce() throws {
        var count = 0
        let timer = try loop.addTimer(priority: .timer) { count += 1 }
        timer.arm(atUsec: -5)
        #expect(try loop.runOnce(timeoutUsec: 5_000_000))
        timer.arm(atUsec: 1)
        #expect(try loop.runOnce(timeoutUsec: 5_000_000))
        #expect(count == 2)
        timer.close()
    }

    @Test func disarmedTimerDoesNotFire() throws {
        let timer = try loop.addTimer(priority: .timer) { Issue.record("fired") }
        timer.arm(atUsec: 1)
        timer.disarm()
        #expect(timer.armedUsec == nil)
        #expect(try !loop.runOnce(timeoutUsec: 2_000))
        timer.arm(atUsec: 1)
        timer.arm(atUsec: .max)
        #expect(timer.armedUsec == nil)
        #expect(try !loop.runOnce(timeoutUsec: 2_000))
        timer.close()
    }

    @Test func timerCanBeMovedAndArmedAgainByItsHandler() throws {
        var moments: [Int64] = []
        var timer: TimerSource?
        let startUsec = Clocks.boottimeUsec()
        timer = try loop.addTimer(priority: .timer) { [loop] in
            moments.append(loop.nowUsec - startUsec)
            if moments.count == 3 { return loop.exit(0) }
            timer?.arm(atUsec: loop.nowUsec + 3_000)
        }
        timer?.arm(atUsec: startUsec + 60_000_000)
        timer?.arm(atUsec: startUsec + 2_000)
        #expect(try loop.run() == 0)
        #expect(moments.count == 3)
        #expect(moments[0] >= 2_000 && moments[0] < 1_000_000)
        #expect(moments[1] >= moments[0] + 3_000)
        #expect(moments[2] >= moments[1] + 3_000)
        timer?.close()
    }

    @Test func signalReachesItsHandler() throws {
        ProcessSignal.block([.user1])
        var count = 0
        let source = try loop.addSignal(.user1) { count += 1 }
        // To this thread, not to the process: other threads may not have it blocked.
        pthread_kill(pthread_self(), SIGUSR1)
        #expect(try loop.runOnce(timeoutUsec: 5_000_000))
        #expect(count == 1)
        source.close()
    }

    @Test func closingASourceDropsWhatItHasPending() throws {
        let first = try Wakeup(reader: .polling)
        let second = try Wakeup(reader: .polling)
        var secondSource: IOSource?
        let firstSource = try loop.addIO(first.fileDescriptor, .readable, priority: .store) { _ in
            first.drain()
            secondSource?.close()
        }
        secondSource = try loop.addIO(second.fileDescriptor, .readable, priority: .clients) { _ in
            Issue.record("served after it was closed")
        }
        first.signal()
        second.signal()
        #expect(try loop.runOnce(timeoutUsec: 5_000_000))
        #expect(try !loop.runOnce(timeoutUsec: 2_000))
        firstSource.close()
        withExtendedLifetime((first, second)) {}
    }

    @Test func aHandlerMayDropItsOwnSource() throws {
        let wakeup = try Wakeup(reader: .polling)
        wakeup.signal()
        var count = 0
        var source: IOSource?
        weak var observed: IOSource?
        source = try loop.addIO(wakeup.fileDescriptor, .readable, priority: .clients) { _ in
            source?.close()
            source = nil
            // Captured values are still there.
            count += 1
        }
        observed = source
        #expect(observed != nil)
        #expect(try loop.runOnce(timeoutUsec: 5_000_000))
        #expect(try !loop.runOnce(timeoutUsec: 2_000))
        #expect(count == 1)
        #expect(observed == nil)
    }

    @Test func closingFreesWhatTheHandlerHolds() throws {
        final class Owner {
            var source: Source?
        }
        weak var observed: Owner?
        do {
            let owner = Owner()
            owner.source = try loop.addDefer(priority: .idle) { owner.source = nil }
            observed = owner
            owner.source?.close()
        }
        #expect(observed == nil)
    }

    @Test func watchChangesTheInterest() throws {
        let pair = try UnixSocket.Pair()
        var seen: [IOEvents] = []
        let source = try loop.addIO(pair.left.rawValue, .readable, priority: .clients) {
            seen.append($0)
        }
        #expect(try !loop.runOnce(timeoutUsec: 0))
        source.watch([.readable, .writable])
        #expect(try loop.runOnce(timeoutUsec: 0))
        source.watch([])
        #expect(try !loop.runOnce(timeoutUsec: 0))
        #expect(seen == [.writable])
        source.set(.off)
        source.watch(.writable)
        #expect(try !loop.runOnce(timeoutUsec: 0))
        source.close()
    }

    @Test func postRunsAfterEachTurnAndDeferOnceWhenAsked() throws {
        var log = ""
        let post = try loop.addPost(priority: .idle) { log += "p" }
        let deferred = try loop.addDefer(priority: .clients) { log += "d" }
        while try loop.runOnce(timeoutUsec: 0) {}
        #expect(log == "dp")
        deferred.set(.once)
        while try loop.runOnce(timeoutUsec: 0) {}
        #expect(log == "dpdp")
        post.close()
        deferred.close()
    }

    @Test func endOfAProcessIsToldOnce() throws {
        let child = try Child("sleep", "600")
        let pidfd = try #require(try ProcessIdentity.open(child.process)?.release())
        let owner = OwnedFD(adopting: pidfd)
        var count = 0
        let source = try loop.addProcessEnd(pidfd: owner.rawValue, priority: .clients) {
            count += 1
        }
        #expect(try !loop.runOnce(timeoutUsec: 0))
        kill(child.process, SIGKILL)
        #expect(try loop.runOnce(timeoutUsec: 5_000_000))
        #expect(try !loop.runOnce(timeoutUsec: 2_000))
        #expect(count == 1)
        source.close()
    }
}
