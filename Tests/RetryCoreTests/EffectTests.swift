import RetryModel
import Testing

@testable import RetryCore

@Suite
struct EffectTests {
    private var effects = Effects()

    @Test
    mutating func keepsTheOrder() {
        effects.add(.remove(OperationID(rawValue: 1)))
        effects.addReady(QueueIndex(rawValue: 2))
        effects.add(.removeEvent(hash: 3))
        #expect(
            effects.all == [
                .remove(OperationID(rawValue: 1)), .becameReady(QueueIndex(rawValue: 2)),
                .removeEvent(hash: 3),
            ])
    }

    @Test
    mutating func aQueueThatBecameReadySaysSoOnce() {
        let queues = [1, 1, 2, 2, 1] as [UInt32]
        for queue in queues { effects.addReady(QueueIndex(rawValue: queue)) }
        #expect(
            effects.all == [
                .becameReady(QueueIndex(rawValue: 1)), .becameReady(QueueIndex(rawValue: 2)),
                .becameReady(QueueIndex(rawValue: 1)),
            ])
    }

    @Test
    mutating func anEmptiedBufferSaysItAgain() {
        effects.addReady(QueueIndex(rawValue: 1))
        effects.removeAll()
        #expect(effects.all.isEmpty)
        effects.addReady(QueueIndex(rawValue: 1))
        #expect(effects.all == [.becameReady(QueueIndex(rawValue: 1))])
    }
}
