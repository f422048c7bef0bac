import RetryModel
import Testing

@testable import RetryCore

@Suite
struct LaneTableTests {
    private var lanes = LaneTable()
    private var policies = PolicyTable()

    private static func lane(_ queue: String = "q", policy: String? = nil) -> Lane {
        Lane(owner: 1, group: 1, queue: queue, kind: .custom, scope: "user:1", policy: policy)
    }

    private static func facts(_ group: UInt32 = 0) -> LaneTable.Facts {
        LaneTable.Facts(
            owner: 1, ownerNumber: 0, group: group, credential: nil, foreground: 0)
    }

    @Test
    mutating func numbersLanesInTheirOrder() {
        #expect(lanes.append(Self.lane("a"), Self.facts(7), policies) == 0)
        #expect(lanes.append(Self.lane("b"), Self.facts(8), policies) == 1)
        #expect(lanes.index(of: Self.lane("b")) == 1)
        #expect(lanes.index(of: Self.lane("a")) == 0)
        // Asked again, and answered without hashing.
        #expect(lanes.index(of: Self.lane("a")) == 0)
        #expect(lanes.index(of: Self.lane("c")) == nil)
        #expect(lanes.lane(1) == Self.lane("b"))
        #expect(lanes[0].group == 7)
        #expect(lanes.count == 2)
    }

    @Test
    mutating func everyMemberTellsLanesApart() {
        _ = lanes.append(Self.lane(), Self.facts(), policies)
        var others = [Lane](repeating: Self.lane(), count: 8)
        others[0].owner = 2
        others[1].group = 2
        others[2].queue = "r"
        others[3].kind = .command
        others[4].destination = "d"
        others[5].credential = "c"
        others[6].scope = "user:2"
        others[7].policy = "p"
        for other in others { #expect(lanes.index(of: other) == nil) }
    }

    @Test
    mutating func findsThePoliciesOfALane() {
        var named = Policy.standard
        named.name = "slow"
        _ = policies.replace(with: [named], ofQueues: [("q", "slow")])
        _ = lanes.append(Self.lane("q", policy: "slow"), Self.facts(), policies)
        _ = lanes.append(Self.lane("r", policy: "gone"), Self.facts(), policies)
        #expect(lanes[0].policy == 1)
        #expect(lanes[0].queuePolicy == 1)
        #expect(lanes[1].policy == nil)
        #expect(lanes[1].queuePolicy == nil)
        _ = policies.replace(with: [], ofQueues: [("r", "default")])
        lanes.policiesChanged(to: policies)
        #expect(lanes[0].policy == nil)
        #expect(lanes[0].queuePolicy == nil)
        #expect(lanes[1].queuePolicy == 0)
    }
}
