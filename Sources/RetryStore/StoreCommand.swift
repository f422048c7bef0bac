/// What a batch asks to be written. Each command is this byte and its operands in the batch's
/// command buffer; `StoreBatch+Writes` writes them, `StoreWriter+Commands` reads them.
enum StoreCommand: UInt8 {
    /// id, length in two bytes, packed record.
    case saveRecord = 1
    /// id.
    case remove = 2
    /// first id, last id, number of entries in four bytes, offset, length: bodies of operations
    /// with ascending ids.
    case saveChunk = 3
    /// id, offset, length: takes the place of the body the operation had.
    case replaceBody = 4
    /// id, length in four bytes, packed attempt.
    case saveAttempt = 5
    case saveLane = 6
    case saveSignal = 7
    case saveRule = 8
    case saveAnchor = 9
    /// id.
    case reserveIDs = 10
    case savePolicyName = 11
    /// hash, id, whether there is an end, the end.
    case saveEvent = 12
    /// hash.
    case removeEvent = 13
    case savePause = 14
    /// number.
    case removePause = 15
    case saveDestination = 16
    /// number.
    case removeDestination = 17
    /// number.
    case removeLane = 18
    /// number.
    case removeSignal = 19
}
