#include <errno.h>
#include <sqlite3.h>
#include <stddef.h>
#include <sys/types.h>

// What Swift cannot say itself: variadic arguments, and the cast that SQLITE_TRANSIENT is.

// Ends SQLite's count of the memory that the process uses. Fails if the process has used SQLite before.
static inline int csqlite_stop_counting_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

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

// The size of the main database's file in bytes, less than 0 where there is no file or it is not open.
static inline sqlite3_int64 csqlite_size(sqlite3 *database) {
  sqlite3_file *file = 0;
  sqlite3_int64 size = -1;
  int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK || !file || !file->pMethods) return -1;
  return file->pMethods->xFileSize(file, &size) == SQLITE_OK ? size : -1;
}

// Reads bytes of the main database's file through the descriptor that SQLite has open.
static inline int csqlite_read(sqlite3 *database, void *bytes, int count, sqlite3_int64 offset) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  if (!file || !file->pMethods) return SQLITE_CANTOPEN;
  return file->pMethods->xRead(file, bytes, count, offset);
}

// Whether the main database's path leads to another file than the one that is open, or to none.
static inline int csqlite_has_moved(sqlite3 *database) {
  int has_moved = 0;
  int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  return code == SQLITE_OK && has_moved;
}

// The size in bytes of the log that is open, less than 0 where none is.
static inline sqlite3_int64 csqlite_log_size(sqlite3 *database) {
  sqlite3_file *file = 0;
  sqlite3_int64 size = -1;
  int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
  if (code != SQLITE_OK || !file || !file->pMethods) return -1;
  return file->pMethods->xFileSize(file, &size) == SQLITE_OK ? size : -1;
}

// Reserves space on the disk behind the end of a file, without a change of its size. Returns the system's error number, or 0.
static inline int csqlite_reserve(int file, sqlite3_int64 offset, sqlite3_int64 count) {
#ifdef __linux__
  // FALLOC_FL_KEEP_SIZE; the declaration of fallocate(2) depends on the includer's macros.
  extern int fallocate(int, int, off_t, off_t);
  while (fallocate(file, 1, offset, count) != 0) {
    if (errno != EINTR) return errno;
  }
#endif
  return 0;
}
