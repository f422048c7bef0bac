import RetryModel
import Support
import SystemKit
import Testing

@testable import RetryStore

/// What is not a store of ours is refused by name and left as it is.
@Suite
struct StoreFileTests {
    private let directory: TemporaryDirectory
    private var path: String { "\(directory.path)/\(StoreFile.databaseName)" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func refusal(_ directory: String) -> StoreOpenError? {
        do {
            _ = try Store(directory: directory)
            Issue.record("the store was opened")
            return nil
        } catch {
            return error
        }
    }

    @Test
    func aMissingDirectoryIsNamed() {
        let missing = "\(directory.path)/missing"
        #expect(refusal(missing) == .directoryMissing(path: missing))
        #expect(
            refusal(missing)?.description
                == "state directory \(missing) does not exist; make it (mkdir -m 0700) or name "
                + "another with --state")
    }

    @Test
    func aFileIsNoDirectory() throws {
        let file = "\(directory.path)/file"
        try Files.writeAtomically(file, [1], mode: 0o600)
        #expect(refusal(file) == .notADirectory(path: file))
    }

    @Test
    func aSecondDaemonIsRefused() throws {
        try Store.with(directory.path) { _ in
            let lock = "\(directory.path)/\(StoreFile.lockName)"
            let own = ProcessIdentity.own.process
            #expect(refusal(directory.path) == .held(path: lock, process: own))
            #expect(
                refusal(directory.path)?.description
                    == "lock \(lock): held by process \(own); stop it first")
        }
        // It is free again afterwards.
        _ = try Store(directory: directory.path)
    }

    @Test
    func whatIsNoDatabaseStays() throws {
        let content = Array("These are somebody's notes, longer than a header.\n".utf8)
        let notes = Array(repeatElement(content, count: 100).joined())
        try Files.writeAtomically(path, notes, mode: 0o600)
        #expect(refusal(directory.path) == .notADatabase(path: path))
        #expect(try Files.readAll(path, bytesMax: 1 << 20) == notes)
    }

    @Test
    func anotherProgramsDatabaseStays() throws {
        try Files.writeAtomically(path, [], mode: 0o600)
        do {
            let other = try Database(path: path, mayCreate: false)
            try other.execute("PRAGMA application_id = 99; CREATE TABLE t (x);")
        }
        let content = try Files.readAll(path, bytesMax: 1 << 20)
        #expect(refusal(directory.path) == .foreign(path: path, applicationID: 99))
        #expect(try Files.readAll(path, bytesMax: 1 << 20) == content)
    }

    @Test
    func aNewerStoreIsRefused() throws {
        try Store.with(directory.path) { store in try store.commit { $0.save(.sample(1)) } }
        do {
            let database = try Database(path: path, mayCreate: false)
            try database.execute("PRAGMA user_version = 9")
        }
        let refused = refusal(directory.path)
        #expect(refused == .newerSchema(path: path, found: 9, known: Schema.current.version))
        #expect(
            refused?.description.contains(
                "has schema 9, and this retryd knows up to \(Schema.current.version)") == true)
    }

    @Test
    func aLogWithoutItsDatabaseStays() throws {
        let log = "\(path)-wal"
        try Files.writeAtomically(log, [1, 2, 3], mode: 0o600)
        #expect(refusal(directory.path) == .logWithoutDatabase(path: path, log: log))
        #expect(try Files.readAll(log, bytesMax: 10) == [1, 2, 3])
        try Files.writeAtomically(path, [], mode: 0o600)
        #expect(refusal(directory.path) == .logWithoutDatabase(path: path, log: log))
    }

    /// A daemon killed before its first store was made starts anew.
    @Test
    func anEmptyFileIsANewStore() throws {
        try Files.writeAtomically(path, [], mode: 0o600)
        try Store.with(directory.path) { store in try store.commit { $0.save(.sample(1)) } }
        #expect(try Store.recovered(directory.path).ids == [1])
    }

    /// A daemon killed while it made its store leaves what the next one takes away.
    @Test
    func aHalfMadeStoreIsMadeAnew() throws {
        try Files.writeAtomically("\(path).new", [1, 2, 3], mode: 0o600)
        try Files.writeAtomically("\(path).new-journal", [4], mode: 0o600)
        try Store.with(directory.path) { store in try store.commit { $0.save(.sample(1)) } }
        #expect(try Files.list(directory.path).filter { $0.contains(".new") } == [])
    }

    @Test
    func aDamagedStoreIsRefusedAndStays() throws {
        try Store.with(directory.path) { store in
            try store.commit { batch in for id in Int64(1)...50 { batch.add(id, Body("x")) } }
        }
        var content = try Files.readAll(path, bytesMax: 1 << 20)
        for offset in 100..<4_096 { content[offset] = 0xaa }
        try Files.writeAtomically(path, content, mode: 0o600)
        try Files.remove("\(path)-wal")
        guard case .damaged(path, _) = refusal(directory.path) else {
            Issue.record("another error")
            return
        }
        #expect(try Files.readAll(path, bytesMax: 1 << 20) == content)
    }

    @Test
    func theFileIsMadeAsItIsSpecified() throws {
        try Store.with(directory.path) { _ in }
        let database = try Database(path: path, mayCreate: false)
        #expect(try database.integer("PRAGMA application_id") == 0x7274_7279)
        #expect(try database.integer("PRAGMA user_version") == Schema.current.version)
        // 2: incremental.
        #expect(try database.integer("PRAGMA auto_vacuum") == 2)
        #expect(try database.text("PRAGMA journal_mode") == "wal")
        #expect(try database.integer("PRAGMA page_size") == 4_096)
        #expect(
            try database.integer(
                "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND strict = 0 "
                    + "AND name NOT LIKE 'sqlite_%'") == 0)
        #expect(
            try database.integer(
                "SELECT count(*) FROM sqlite_schema WHERE type = 'index' "
                    + "AND sql IS NOT NULL") == 0)
    }
}
