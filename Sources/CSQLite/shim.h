// SQLite. Only RetryStore imports it.
#pragma once
#include <sqlite3.h>

// sqlite3_config and sqlite3_db_config are variadic, which Swift cannot call.

// Allocation statistics cost a global mutex at every allocation. To be called before SQLite is
// first used; afterwards it answers SQLITE_MISUSE and changes nothing.
static inline int CSQLite_no_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// SQL in a stored schema (views, triggers) may not call functions with side effects, and no
// statement may write to the schema table: a doctored file can then do nothing but hold data.
static inline int CSQLite_harden(sqlite3 *database) {
    int result = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (result != SQLITE_OK) return result;
    return sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

// SQLITE_FCNTL_PERSIST_WAL takes an int by address.
static inline int CSQLite_keep_log(sqlite3 *database) {
    int keep = 1;
    return sqlite3_file_control(database, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
}

// Syncs the database file through SQLite's own descriptor. One of ours would not do: closing any
// descriptor of a file drops all POSIX locks the process has on it (fcntl(2)), SQLite's included.
static inline int CSQLite_sync_database(sqlite3 *database) {
    sqlite3_file *file = (sqlite3_file *)0;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK) return result;
    return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
}
