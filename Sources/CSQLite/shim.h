// SQLite. Only RetryStore imports it.
#pragma once
#include <sqlite3.h>

// sqlite3_config is variadic, which Swift cannot call.
static inline int CSQLite_single_thread(void) {
    return sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
}

static inline int CSQLite_no_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
