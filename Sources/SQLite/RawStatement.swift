import CSQLite

/// Owns a `sqlite3_stmt *` and finalizes it when released.
@usableFromInline
struct RawStatement: ~Copyable {
  @usableFromInline let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { sqlite3_finalize(pointer) }
}
