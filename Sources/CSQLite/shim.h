#include <sqlite3.h>
#include <stddef.h>

// What Swift cannot say itself: variadic arguments, and the cast that SQLITE_TRANSIENT is.

// Sets one on/off setting of a connection.
static inline int csqlite_set_flag(sqlite3 *database, int flag, int isOn) {
  return sqlite3_db_config(database, flag, isOn, (int *)0);
}

// Binds a copy of UTF-8 text; no pointer is the empty text.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *text, size_t count) {
  return sqlite3_bind_text64(statement, index, text ? (const char *)text : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// Binds a copy of bytes; no pointer is the empty blob.
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// Returns a copy of UTF-8 text from a function.
static inline void csqlite_result_text(sqlite3_context *context, const void *text, size_t count) {
  sqlite3_result_text64(context, text ? (const char *)text : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// Returns a copy of bytes from a function.
static inline void csqlite_result_blob(sqlite3_context *context, const void *bytes, size_t count) {
  sqlite3_result_blob64(context, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}
