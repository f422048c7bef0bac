import SystemKit

extension StoreFile {
    /// The backup made before a store of that version is changed.
    static func backupPath(_ path: String, version: Int64) -> String {
        "\(path).schema-\(version).backup"
    }

    /// Brings an older store up to the schema, after a backup. All or nothing.
    static func migrate(
        _ database: Database, path: String, directory: String, from found: Int64,
        to schema: Schema
    ) throws(StoreOpenError) {
        guard let steps = schema.steps(from: found) else {
            throw .unknownSchema(path: path, found: found, known: schema.version)
        }
        let backup = backupPath(path, version: found)
        try backUp(database, path: path, to: backup, directory: directory)
        do {
            try database.execute("BEGIN IMMEDIATE")
            for step in steps {
                try database.execute(step.sql)
                try database.execute("PRAGMA user_version = \(step.to)")
            }
            try database.execute("COMMIT")
        } catch {
            database.rollBack()
            throw .migrationFailed(
                path: path, to: schema.version, detail: error.message, backup: backup)
        }
    }

    /// Writes a whole copy next to the database, synced before it gets its name.
    private static func backUp(
        _ database: Database, path: String, to backup: String, directory: String
    ) throws(StoreOpenError) {
        let partial = "\(backup).partial"
        do {
            // VACUUM INTO accepts an empty file, and this one is readable by its owner alone.
            try Files.writeAtomically(partial, [], mode: 0o600)
            let statement = try database.prepare("VACUUM INTO ?1")
            var name = partial
            try name.withUTF8 { bytes in
                statement.bind(text: UnsafeRawBufferPointer(bytes), at: 1)
                try statement.run()
            }
            try Files.sync(partial)
            try Files.rename(partial, to: backup)
            try Files.syncDirectory(directory)
        } catch {
            // What is left of it takes room that is wanted. A file that cannot be removed now is
            // overwritten next time.
            for name in [partial, "\(partial)-journal"] { _ = try? Files.remove(name) }
            let detail = (error as? DatabaseError)?.message ?? "\(error)"
            throw .backupFailed(path: path, detail: detail)
        }
    }
}
