/// Numbers of names, how often each is used, and which may be given again.
///
/// A name that nothing uses any more is kept for a while, because most come back: a lane with one
/// operation at a time would else be stored and removed with each.
struct NameUses {
    private var counts: ContiguousArray<UInt32> = []
    private var isIdleNoted: ContiguousArray<Bool> = []
    private var isTaken: ContiguousArray<Bool> = []
    private var free: [UInt32] = []
    /// Noted when the last use ended, the first noted first. Some may be used again by now.
    private var idle: [UInt32] = []
    /// Entries of `idle` that are taken already: the array is shortened now and then only.
    private var idleTaken = 0
    private var restored: UInt32?

    func count(_ number: UInt32) -> Int { Int(counts[Int(number)]) }

    /// A number for a new name: used by nothing yet.
    mutating func take() -> UInt32 {
        if let number = restored {
            restored = nil
            while counts.count <= Int(number) {
                if counts.count < Int(number) { free.append(UInt32(counts.count)) }
                grow()
            }
            free.removeAll { $0 == number }
            isTaken[Int(number)] = true
            return number
        }
        let number: UInt32
        if let freed = free.popLast() {
            number = freed
        } else {
            number = UInt32(counts.count)
            grow()
        }
        isTaken[Int(number)] = true
        return number
    }

    private mutating func grow() {
        counts.append(0)
        isIdleNoted.append(false)
        isTaken.append(false)
    }

    /// The next number taken is that one, as the store has it.
    mutating func next(is number: UInt32) { restored = number }

    mutating func retain(_ number: UInt32) { counts[Int(number)] += 1 }

    mutating func release(_ number: UInt32) {
        precondition(counts[Int(number)] > 0, "a name is used less than not at all")
        counts[Int(number)] -= 1
        if counts[Int(number)] == 0 { note(number) }
    }

    /// May be given back from now on, if nothing uses it.
    mutating func note(_ number: UInt32) {
        guard !isIdleNoted[Int(number)], isTaken[Int(number)] else { return }
        isIdleNoted[Int(number)] = true
        idle.append(number)
    }

    /// All are restored: notes those that nothing uses.
    mutating func noteIdle() {
        for number in counts.indices where counts[number] == 0 { note(UInt32(number)) }
    }

    /// Takes the longest idle one away when more are noted than may be.
    ///
    /// - Returns: Its number, which may be given again; nil: none has to go.
    mutating func removeIdle(
        beyond most: Int, where mayGo: (UInt32) -> Bool = { _ in true }
    ) -> UInt32? {
        while idle.count - idleTaken > most {
            let number = idle[idleTaken]
            idleTaken += 1
            if idleTaken > most { shorten() }
            isIdleNoted[Int(number)] = false
            guard counts[Int(number)] == 0, mayGo(number) else { continue }
            isTaken[Int(number)] = false
            free.append(number)
            return number
        }
        return nil
    }

    private mutating func shorten() {
        idle.removeFirst(idleTaken)
        idleTaken = 0
    }

    func checkInvariants(inUse: Int) {
        precondition(counts.count - free.count == inUse, "names and their numbers")
        for number in free { precondition(counts[Int(number)] == 0, "a used number is free") }
    }
}
