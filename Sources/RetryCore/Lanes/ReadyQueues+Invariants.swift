import RetryModel

extension ReadyQueues {
    func checkInvariants(_ positions: SlotHeap.Positions) {
        var released = 0
        for queue in queues {
            var grantable = 0
            var releasable = 0
            for line in queue.lines {
                lines[line].active.checkInvariants(activePositions)
                lines[line].releasable.checkInvariants(releasablePositions)
                for group in groups where group.lanes > 0 && group.line == line {
                    group.ready.checkInvariants(positions)
                    group.backlog.checkInvariants(positions)
                    grantable += group.grantableCount
                    releasable += group.releasableCount
                }
            }
            precondition(grantable == queue.readyCount, "ready count of \(queue.name) is wrong")
            precondition(releasable == queue.releasableCount, "backlog of \(queue.name) is wrong")
            released += releasable
        }
        precondition(released == releasableCount, "backlog of all is wrong")
        for (number, group) in groups.enumerated() where group.lanes > 0 {
            checkPlaces(of: group, GroupIndex(number))
        }
    }

    private func checkPlaces(of group: ReadyGroup, _ number: GroupIndex) {
        let line = lines[group.line]
        let isActive = line.active.contains(number, activePositions)
        precondition(isActive == (group.first != nil), "a group is not where workers look for it")
        let isReleasable = line.releasable.contains(number, releasablePositions)
        precondition(
            isReleasable == (group.releasable != nil), "a group is not where the ramp looks for it")
    }
}
