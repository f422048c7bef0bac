package import RetryModel

/// Ties the daemon's time line to the clocks of one boot (spec section 7).
package struct BootAnchor: Hashable, Sendable {
    /// /proc/sys/kernel/random/boot_id.
    package var bootID: String
    /// Counts boots the daemon has seen, from 1.
    package var number: UInt32
    /// What is added to CLOCK_BOOTTIME of that boot to get an `Instant`.
    package var base: Span
    /// Both clocks when the anchor was last stored.
    package var lastWall: WallTime
    package var lastInstant: Instant
    /// The kernel said then that the wall clock is synchronised with the world's.
    package var isWallTrusted: Bool
    /// Both clocks when the boot before was last seen, as long as the wall clock of this one is
    /// not known to be right; nil: nothing is to be corrected.
    package var earlier: Earlier?

    /// A moment by both clocks.
    package struct Earlier: Hashable, Sendable {
        package var wall: WallTime
        package var instant: Instant

        package init(wall: WallTime, instant: Instant) {
            self.wall = wall
            self.instant = instant
        }
    }

    package init(
        bootID: String, number: UInt32, base: Span, lastWall: WallTime, lastInstant: Instant,
        isWallTrusted: Bool, earlier: Earlier? = nil
    ) {
        self.bootID = bootID
        self.number = number
        self.base = base
        self.lastWall = lastWall
        self.lastInstant = lastInstant
        self.isWallTrusted = isWallTrusted
        self.earlier = earlier
    }
}

/// What the store knows about itself.
package struct StoreFacts: Hashable, Sendable {
    /// Drawn when the store was made: key of the hashes over keys and event ids.
    package var secret: UInt64
    package var secret2: UInt64
    /// Ids up to this one may have been given; the next is larger.
    package var idsReservedThrough: Int64
    /// The newest boot's; nil in a new store.
    package var anchor: BootAnchor?
}

/// Takes in what the store holds, in this order: facts, rules, policies, signals, destinations,
/// pauses, lanes (which name the former), operations in ascending order of ids, events.
package protocol StoreVisitor {
    mutating func facts(_ facts: StoreFacts)
    mutating func rule(_ index: RuleIndex, name: String, packHash: UInt64)
    mutating func policyName(_ index: PolicyIndex, _ name: String)
    mutating func destination(_ index: DestinationIndex, _ destination: DestinationRecord)
    mutating func pause(_ index: PauseIndex, _ pause: PauseRecord)
    mutating func lane(_ index: LaneIndex, _ lane: Lane)
    mutating func signal(_ index: SignalIndex, _ signal: SignalRecord)
    mutating func operation(_ record: OperationRecord)
    mutating func event(_ hash: UInt64, _ id: OperationID, until: Instant?)
}
