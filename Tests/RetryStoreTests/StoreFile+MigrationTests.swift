import RetryModel
import Support
import SystemKit
import Testing

@testable import RetryStore

/// Older stores become newer ones, with a backup first and all or nothing. Later schemas are made
/// up.
@Suite
struct StoreFileMigrationTests {
    private let directory: TemporaryDirectory
    private var path: String { "\(directory.path)/\(StoreFile.databaseName)" }

    init() throws {
        directory = try TemporaryDirectory()
        try Store.with(directory.path) { store in
            try store.commit { batch in batch.add(1, Body("one")) }
        }
    }

    private func later(_ migrations: [(to: Int64, sql: String)]) -> Schema {
        let own = Schema.current.version
        return Schema(
            version: own + Int64(migrations.count), creation: Schema.current.creation,
            migrations: migrations.map { Schema.Migration(to: own + $0.to, sql: $0.sql) })
    }

    private var backup: String {
        StoreFile.backupPath(path, version: Schema.current.version)
    }

    @Test
    func stepsAreTakenInOrderAfterABackup() throws {
        let schema = later([
            (2, "INSERT INTO extra VALUES (7)"),
            (1, "CREATE TABLE extra (x INTEGER) STRICT"),
        ])
        let body = try Store.with(directory.path, schema: schema) { store in try store.body(1) }
        #expect(body == Body("one"))
        let database = try Database(path: path, mayCreate: false)
        #expect(try database.integer("PRAGMA user_version") == schema.version)
        #expect(try database.integer("SELECT x FROM extra") == 7)

        // The backup is the store as it was, and readable by its owner alone.
        #expect(try Files.status(backup)?.mode == 0o600)
        #expect(try Files.status("\(backup).partial") == nil)
        let restored = try TemporaryDirectory()
        try Files.writeAtomically(
            "\(restored.path)/\(StoreFile.databaseName)",
            try Files.readAll(backup, bytesMax: 1 << 26), mode: 0o600)
        #expect(try Store.recovered(restored.path).operations == [.sample(1)])
        #expect(try Store.body(1, in: restored.path) == Body("one"))
    }

    @Test
    func whatTheVersionBeforeStoredIsReadAsItWas() throws {
        let own = Schema.current
        let step = try #require(own.migrations.last)
        #expect(step.to == own.version && own.creation.hasSuffix(step.sql))
        let older = Schema(
            version: own.version - 1,
            creation: String(own.creation.dropLast(step.sql.count)),
            migrations: own.migrations.dropLast())
        let directory = try TemporaryDirectory()
        do {
            let database = try StoreFile.open(directory: directory.path, schema: older)
            try database.execute(
                "INSERT INTO signal VALUES (1, 1, 0, '', 1, 5, 6, 7, NULL, 9);"
                    + "INSERT INTO boot VALUES (3, 'abc', -5, 10, 11);"
                    + "INSERT INTO destination VALUES (2, 'mx1', 7, 0, 0, 1, NULL, 8, 9, 10)")
        }
        let recovered = try Store.recovered(directory.path)
        #expect(recovered.signals[1]?.whileAlive == nil)
        #expect(recovered.signals[1]?.setter == 5)
        #expect(recovered.destinations[2]?.failures == 0)
        #expect(recovered.destinations[2]?.openings == 1)
        #expect(
            recovered.facts?.anchor
                == BootAnchor(
                    bootID: "abc", number: 3, base: Span(usec: -5),
                    lastWall: WallTime(usec: 10), lastInstant: Instant(usec: 11),
                    isWallTrusted: true))
    }

    @Test
    func aStepThatFailsLeavesTheStoreAsItWas() throws {
        let schema = later([
            (1, "CREATE TABLE extra (x INTEGER) STRICT"), (2, "INSERT INTO nowhere VALUES (1)"),
        ])
        do {
            _ = try Store(directory: directory.path, schema: schema)
            Issue.record("a migration that cannot work worked")
        } catch {
            #expect(
                error
                    == .migrationFailed(
                        path: path, to: schema.version, detail: "no such table: nowhere",
                        backup: backup))
        }
        do {
            let database = try Database(path: path, mayCreate: false)
            #expect(try database.integer("PRAGMA user_version") == Schema.current.version)
            #expect(
                try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'")
                    == 0)
        }
        // The present program still takes it.
        #expect(try Store.recovered(directory.path).ids == [1])
    }

    @Test
    func aGapInTheMigrationsIsRefused() throws {
        let schema = later([(2, "SELECT 1"), (3, "SELECT 1")])
        do {
            _ = try Store(directory: directory.path, schema: schema)
            Issue.record("a store was migrated over a gap")
        } catch {
            #expect(
                error
                    == .unknownSchema(
                        path: path, found: Schema.current.version, known: schema.version))
        }
        #expect(try Files.status(backup) == nil)
    }

    /// Nothing is changed before the backup stands.
    @Test(.enabled(if: SmallDisk.isPermitted, "mounting a file system is not permitted here"))
    func withoutRoomForTheBackupNothingHappens() throws {
        let disk = try SmallDisk(kibibytes: 4_096)
        let body = Body(String(repeating: "x", count: 100_000))
        try Store.with(disk.path) { store in
            for id in Int64(1)...12 { try store.commit { $0.add(id, body) } }
        }
        try disk.resize(kibibytes: 3_000)
        let schema = later([(1, "CREATE TABLE extra (x INTEGER) STRICT")])
        let path = "\(disk.path)/\(StoreFile.databaseName)"
        do {
            _ = try Store(directory: disk.path, schema: schema)
            Issue.record("a store was migrated without a backup")
        } catch {
            guard case .backupFailed(path, _) = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(try Store.recovered(disk.path).ids == Array(1...12))
        #expect(try Files.list(disk.path).filter { $0.contains("backup") } == [])
    }
}
