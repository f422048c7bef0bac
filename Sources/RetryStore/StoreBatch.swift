import RetryModel

/// Writes that are to be stored together or not at all, and reads to be made after them.
///
/// It is filled by the loop, carried out by the store thread and comes back in its
/// `StoreCompletion`, from which `Store.recycle` takes it for later. Writes go straight into two
/// buffers in the form they have on disk, so that filling a batch that was used before allocates
/// nothing. Writes take effect in the order in which they were told.
package struct StoreBatch: Sendable {
    /// The caller's number for it; comes back with the completion.
    package var sequence: UInt64
    /// Commands, see `StoreCommand`.
    @usableFromInline
    var commands = ByteBuffer()
    /// Entries of bodies; commands name ranges of it.
    @usableFromInline
    var bodies = ByteBuffer()
    /// The run of bodies that the next body may still join.
    var openChunk: OpenChunk?
    @usableFromInline
    var requests: [ReadRequest] = []
    /// Filled by the store thread.
    var results = ReadResults()
    /// Commands told.
    @usableFromInline
    package internal(set) var writeCount = 0

    /// Bodies of ascending ids that go to disk as one row.
    struct OpenChunk {
        var first: OperationID
        var last: OperationID
        var entryCount: UInt32
        var offset: Int
    }

    package init(sequence: UInt64) {
        self.sequence = sequence
    }

    // Inlinable, or asking the batch that fills would copy it: it is a property of a class, and
    // the caller could not see that nothing changes it meanwhile.

    /// Nothing to write and nothing to read.
    @inlinable
    package var isEmpty: Bool { writeCount == 0 && requests.isEmpty }
    package var readCount: Int { requests.count }
    /// How much it holds, for a bound on how much may be under way.
    @inlinable
    package var byteCount: Int { commands.count + bodies.count }

    /// Asks for something to be read when the writes of this batch are stored.
    package mutating func read(_ request: ReadRequest) {
        requests.append(request)
    }

    /// Makes it new, with the memory it has.
    mutating func clear(sequence: UInt64) {
        self.sequence = sequence
        commands.removeAll()
        bodies.removeAll()
        openChunk = nil
        requests.removeAll(keepingCapacity: true)
        results.removeAll()
        writeCount = 0
    }
}
