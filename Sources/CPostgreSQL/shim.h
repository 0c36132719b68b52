#include <libpq-fe.h>

// What Swift cannot say itself: a function without a body for libpq to call.

// Keeps notices of the server away from the standard error of the program.
static inline void cpostgresql_ignore_notice(void *argument, const char *message) {}

static inline void cpostgresql_ignore_notices(PGconn *connection) {
  PQsetNoticeProcessor(connection, cpostgresql_ignore_notice, 0);
}
