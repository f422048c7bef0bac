import RetryModel

/// What the scheduler looks up of groups.
extension ReadyQueues {
    func key(_ group: GroupIndex) -> GroupKey { groups[Int(group)].key }

    func lanesOf(_ group: GroupIndex) -> Int { groups[Int(group)].lanes }

    func owner(_ group: GroupIndex) -> UserID { groups[Int(group)].key.owner }

    func backlogCount(_ group: GroupIndex) -> Int { groups[Int(group)].backlog.count }

    func grantableCount(_ group: GroupIndex) -> Int { groups[Int(group)].grantableCount }

    /// Waiting operations but those a signal holds.
    func waitingCount(_ group: GroupIndex) -> Int {
        let group = groups[Int(group)]
        return group.scheduledCount + group.backlog.count + group.ready.count
    }

    /// The groups that some lane has, in the order of their numbers.
    var groupNumbersInUse: [GroupIndex] {
        groups.indices.filter { groups[$0].lanes > 0 }.map { GroupIndex($0) }
    }
}
