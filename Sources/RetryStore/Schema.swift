/// What a store of one version looks like and how an older one becomes it.
struct Schema: Sendable {
    /// `PRAGMA user_version`.
    var version: Int64
    /// Makes a new store.
    var creation: String
    /// Each brings a store from the version before `to` up to it.
    var migrations: [Migration]

    struct Migration: Sendable {
        var to: Int64
        var sql: String
    }

    /// `PRAGMA application_id`: "rtry". file(1) and we know the file by it.
    static let applicationID: Int64 = 0x7274_7279

    /// The migrations from a version to the present one; nil: there is a gap.
    func steps(from found: Int64) -> [Migration]? {
        let steps = migrations.filter { $0.to > found }.sorted { $0.to < $1.to }
        return steps.map(\.to).elementsEqual(found + 1..<version + 1) ? steps : nil
    }

    static let current = Schema(
        version: 3, creation: version1 + version2 + version3,
        migrations: [Migration(to: 2, sql: version2), Migration(to: 3, sql: version3)])

    /// Measured before it was chosen. A secondary index costs two thirds of the rate,
    /// AUTOINCREMENT half. Records lie apart from bodies, so that what changes often is narrow and
    /// a start reads little; bodies lie many to a row, which costs half of a row each.
    private static let version1 = """
        -- Everything that changes often, packed (PackedRecord).
        CREATE TABLE operation (
            id INTEGER PRIMARY KEY,
            record BLOB NOT NULL
        ) STRICT;

        -- Bodies of operations with ascending ids, entry after entry (BodyEntry). A body is in
        -- the row with the greatest first <= id, when last >= id.
        CREATE TABLE body (
            first INTEGER PRIMARY KEY,
            last INTEGER NOT NULL,
            entries INTEGER NOT NULL,
            chunk BLOB NOT NULL
        ) STRICT;

        -- One entry each, in place of the one in body.
        CREATE TABLE body_override (
            id INTEGER PRIMARY KEY,
            entry BLOB NOT NULL
        ) STRICT;

        -- Rows of body that hold entries of operations that are gone.
        CREATE TABLE body_purge (
            first INTEGER PRIMARY KEY
        ) STRICT;

        -- Attempts after the first, packed (PackedAttempt).
        CREATE TABLE attempt (
            operation INTEGER NOT NULL,
            number INTEGER NOT NULL,
            content BLOB NOT NULL,
            PRIMARY KEY (operation, number)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE lane (
            id INTEGER PRIMARY KEY,
            owner INTEGER NOT NULL,
            owner_group INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            queue TEXT NOT NULL,
            destination TEXT,
            credential TEXT,
            scope TEXT NOT NULL,
            policy TEXT
        ) STRICT;

        CREATE TABLE signal (
            id INTEGER PRIMARY KEY,
            kind INTEGER NOT NULL,
            owner INTEGER NOT NULL,
            name TEXT NOT NULL,
            is_on INTEGER NOT NULL,
            setter INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            changed_at_wall INTEGER NOT NULL,
            until INTEGER,
            generation INTEGER NOT NULL
        ) STRICT;

        -- Names of rules, so that a record holds a number.
        CREATE TABLE rule (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            pack_hash INTEGER NOT NULL
        ) STRICT;

        -- Names of policies, likewise.
        CREATE TABLE policy (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL
        ) STRICT;

        -- Keyed hashes of the event ids whose failures were decided. Only operations told with an
        -- event_id have rows here, so its random order costs the others nothing.
        CREATE TABLE event (
            hash INTEGER PRIMARY KEY,
            operation INTEGER NOT NULL,
            until INTEGER
        ) STRICT;

        -- One row: the newest boot.
        CREATE TABLE boot (
            number INTEGER PRIMARY KEY,
            boot_id TEXT NOT NULL,
            base INTEGER NOT NULL,
            last_wall INTEGER NOT NULL,
            last_instant INTEGER NOT NULL
        ) STRICT;

        -- Facts of one number each.
        CREATE TABLE meta (
            name TEXT PRIMARY KEY,
            value INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        """

    /// Pauses and destinations. Few rows each.
    private static let version2 = """
        CREATE TABLE pause (
            id INTEGER PRIMARY KEY,
            owner INTEGER,
            queue TEXT,
            destination TEXT,
            credential TEXT,
            author INTEGER NOT NULL,
            reason TEXT NOT NULL,
            since INTEGER NOT NULL,
            until INTEGER
        ) STRICT;

        -- Written when a breaker changes or a fifth of a budget is spent. owner: null when all
        -- users share it.
        CREATE TABLE destination (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            owner INTEGER,
            breaker INTEGER NOT NULL,
            until INTEGER NOT NULL,
            openings INTEGER NOT NULL,
            probe INTEGER,
            tokens_milli INTEGER NOT NULL,
            tokens_at INTEGER NOT NULL,
            since INTEGER NOT NULL
        ) STRICT;

        """

    /// The process while which a level stands, failures in a row that do not open a breaker yet,
    /// and where the time line stood when the boot before ended, until the wall clock of this one
    /// is known to be right.
    private static let version3 = """
        ALTER TABLE signal ADD COLUMN while_user INTEGER;
        ALTER TABLE signal ADD COLUMN while_process INTEGER;
        ALTER TABLE signal ADD COLUMN while_start_ticks INTEGER;
        ALTER TABLE destination ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE boot ADD COLUMN is_wall_trusted INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE boot ADD COLUMN earlier_wall INTEGER;
        ALTER TABLE boot ADD COLUMN earlier_instant INTEGER;
        """
}
