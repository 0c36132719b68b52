import CSQLite

/// Holds the closure that hears of every statement.
final class StatementRecorder {
  let record: @Sendable (String) -> Void
  init(_ record: @escaping @Sendable (String) -> Void) { self.record = record }
}

extension Connection {
  /// Calls `record` with the text of every statement as it starts, placeholders unfilled; `nil` ends it.
  ///
  /// Meant for tests and logs; costs one call per statement while it is on, nothing while it is off.
  package func onStatement(_ record: (@Sendable (String) -> Void)?) throws {
    let pointer = try pointer()
    guard let record else {
      sqlite3_trace_v2(pointer, 0, nil, nil)
      recorder = nil
      return
    }
    let recorder = StatementRecorder(record)
    sqlite3_trace_v2(
      pointer, UInt32(SQLITE_TRACE_STMT),
      { _, context, statement, _ in
        // Triggers announce themselves as a comment on the statement that set them off; its own text came before.
        guard let context, let statement, let sql = sqlite3_sql(OpaquePointer(statement)) else { return 0 }
        Unmanaged<StatementRecorder>.fromOpaque(context).takeUnretainedValue().record(String(cString: sql))
        return 0
      }, Unmanaged.passUnretained(recorder).toOpaque())
    self.recorder = recorder
  }
}
