/// The statements that batches and upkeep run, prepared once.
final class StoreStatements {
    let begin: Statement
    let beginRead: Statement
    let commit: Statement
    let saveRecord: Statement
    let removeRecord: Statement
    let removeAttempts: Statement
    let removeOverride: Statement
    let saveChunk: Statement
    let findChunk: Statement
    let rangeOfChunk: Statement
    let removeChunk: Statement
    let rewriteChunk: Statement
    let saveOverride: Statement
    let saveProbe: Statement
    let findOverride: Statement
    let markPurge: Statement
    let nextPurges: Statement
    let unmarkPurge: Statement
    let idsInRange: Statement
    let saveAttempt: Statement
    let newestAttempt: Statement
    let trimAttempts: Statement
    let attempts: Statement
    let attemptsNewestFirst: Statement
    let saveLane: Statement
    let saveSignal: Statement
    let saveRule: Statement
    let savePolicyName: Statement
    let saveEvent: Statement
    let removeEvent: Statement
    let savePause: Statement
    let removePause: Statement
    let saveDestination: Statement
    let removeDestination: Statement
    let removeLane: Statement
    let removeSignal: Statement
    let saveBoot: Statement
    let removeOlderBoots: Statement
    let raiseFact: Statement

    private static let saveSignalText =
        "REPLACE INTO signal (id, kind, owner, name, is_on, setter, changed_at, changed_at_wall, "
        + "until, generation, while_user, while_process, while_start_ticks) "
        + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
    private static let saveDestinationText =
        "REPLACE INTO destination (id, name, owner, breaker, until, openings, probe, "
        + "tokens_milli, tokens_at, since, failures) "
        + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"

    init(_ database: Database) throws(DatabaseError) {
        begin = try database.prepare("BEGIN IMMEDIATE")
        beginRead = try database.prepare("BEGIN")
        commit = try database.prepare("COMMIT")
        saveRecord = try database.prepare("REPLACE INTO operation (id, record) VALUES (?1, ?2)")
        removeRecord = try database.prepare("DELETE FROM operation WHERE id = ?1")
        removeAttempts = try database.prepare("DELETE FROM attempt WHERE operation = ?1")
        removeOverride = try database.prepare("DELETE FROM body_override WHERE id = ?1")
        saveChunk = try database.prepare(
            "INSERT INTO body (first, last, entries, chunk) VALUES (?1, ?2, ?3, ?4)")
        findChunk = try database.prepare(
            "SELECT first, last, chunk FROM body WHERE first <= ?1 ORDER BY first DESC LIMIT 1")
        rangeOfChunk = try database.prepare(
            "SELECT first, last, entries FROM body WHERE first <= ?1 ORDER BY first DESC LIMIT 1")
        removeChunk = try database.prepare("DELETE FROM body WHERE first = ?1")
        rewriteChunk = try database.prepare(
            "UPDATE body SET last = ?2, entries = ?3, chunk = ?4 WHERE first = ?1")
        saveOverride = try database.prepare(
            "REPLACE INTO body_override (id, entry) VALUES (?1, ?2)")
        saveProbe = try database.prepare(
            "REPLACE INTO body_override (id, entry) "
                + "VALUES (\(StoreTuning.probeID), zeroblob(\(StoreTuning.probeBytes)))")
        findOverride = try database.prepare("SELECT entry FROM body_override WHERE id = ?1")
        markPurge = try database.prepare("INSERT OR IGNORE INTO body_purge (first) VALUES (?1)")
        nextPurges = try database.prepare("SELECT first FROM body_purge ORDER BY first LIMIT ?1")
        unmarkPurge = try database.prepare("DELETE FROM body_purge WHERE first = ?1")
        idsInRange = try database.prepare(
            "SELECT id FROM operation WHERE id BETWEEN ?1 AND ?2 ORDER BY id")
        saveAttempt = try database.prepare(
            "REPLACE INTO attempt (operation, number, content) VALUES (?1, ?2, ?3)")
        newestAttempt = try database.prepare(
            "SELECT number FROM attempt WHERE operation = ?1 ORDER BY number DESC LIMIT 1")
        trimAttempts = try database.prepare(
            "DELETE FROM attempt WHERE operation = ?1 AND number <= ?2")
        attempts = try database.prepare(
            "SELECT number, content FROM attempt WHERE operation = ?1 ORDER BY number")
        attemptsNewestFirst = try database.prepare(
            "SELECT content FROM attempt WHERE operation = ?1 ORDER BY number DESC")
        saveLane = try database.prepare(
            "REPLACE INTO lane (id, owner, owner_group, kind, queue, destination, credential, "
                + "scope, policy) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
        saveSignal = try database.prepare(Self.saveSignalText)
        saveRule = try database.prepare(
            "REPLACE INTO rule (id, name, pack_hash) VALUES (?1, ?2, ?3)")
        savePolicyName = try database.prepare(
            "REPLACE INTO policy (id, name) VALUES (?1, ?2)")
        saveEvent = try database.prepare(
            "REPLACE INTO event (hash, operation, until) VALUES (?1, ?2, ?3)")
        removeEvent = try database.prepare("DELETE FROM event WHERE hash = ?1")
        savePause = try database.prepare(
            "REPLACE INTO pause (id, owner, queue, destination, credential, author, reason, "
                + "since, until) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
        removePause = try database.prepare("DELETE FROM pause WHERE id = ?1")
        saveDestination = try database.prepare(Self.saveDestinationText)
        removeDestination = try database.prepare("DELETE FROM destination WHERE id = ?1")
        removeLane = try database.prepare("DELETE FROM lane WHERE id = ?1")
        removeSignal = try database.prepare("DELETE FROM signal WHERE id = ?1")
        saveBoot = try database.prepare(
            "REPLACE INTO boot (number, boot_id, base, last_wall, last_instant, "
                + "is_wall_trusted, earlier_wall, earlier_instant) "
                + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
        removeOlderBoots = try database.prepare("DELETE FROM boot WHERE number < ?1")
        raiseFact = try database.prepare(
            "INSERT INTO meta (name, value) VALUES (?1, ?2) "
                + "ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)")
    }
}
