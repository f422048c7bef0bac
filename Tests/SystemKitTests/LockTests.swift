import Testing

@testable import SystemKit

struct LockTests {
    private final class Counter: Sendable {
        let value = Lock((count: 0, log: [Int]()))
    }

    @Test func changesOfManyThreadsAllCount() throws {
        let counter = Counter()
        let threads = try (0..<4).map { thread in
            try Thread.spawn(name: "adder") {
                for _ in 0..<5_000 {
                    counter.value.withLock {
                        $0.count += 1
                        if $0.count % 1_000 == 0 { $0.log.append(thread) }
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(counter.value.withLock { $0.count } == 20_000)
        #expect(counter.value.withLock { $0.log.count } == 20)
    }

    @Test func whatItHoldsIsFreedWithIt() {
        final class Held: Sendable {}
        weak var observed: Held?
        do {
            let held = Held()
            observed = held
            let lock = Lock(held)
            #expect(lock.withLock { $0 === held })
        }
        #expect(observed == nil)
    }
}
