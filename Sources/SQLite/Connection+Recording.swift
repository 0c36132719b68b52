import CSQLite

/// Holds the closure that receives the text of every statement.
final class StatementRecorder {
  let isExpanded: Bool
  let record: @Sendable (String) -> Void

  init(isExpanded: Bool, _ record: @escaping @Sendable (String) -> Void) {
    self.isExpanded = isExpanded
    self.record = record
  }

  /// Passes on the text of a statement that starts.
  func hear(_ statement: OpaquePointer) {
    guard isExpanded else {
      if let sql = sqlite3_sql(statement) { record(String(cString: sql)) }
      return
    }
    guard let sql = sqlite3_expanded_sql(statement) else { return }
    record(String(cString: sql))
    sqlite3_free(sql)
  }
}

extension Connection {
  /// Calls `record` with the text of every statement as it starts; `nil` ends it.
  ///
  /// Meant for tests and benchmarks. Costs one call per statement while it is on, nothing while it is off.
  /// - Parameter isExpanded: whether the text has the bound values instead of placeholders; `false` by default.
  package func onStatement(isExpanded: Bool = false, _ record: (@Sendable (String) -> Void)?) throws {
    let pointer = try pointer()
    guard let record else {
      sqlite3_trace_v2(pointer, 0, nil, nil)
      recorder = nil
      return
    }
    let recorder = StatementRecorder(isExpanded: isExpanded, record)
    sqlite3_trace_v2(
      pointer, UInt32(SQLITE_TRACE_STMT),
      { _, context, statement, _ in
        // SQLite also calls this for each statement of a trigger, with the statement that fired the trigger. So its
        // text is recorded again.
        guard let context, let statement else { return 0 }
        Unmanaged<StatementRecorder>.fromOpaque(context).takeUnretainedValue().hear(OpaquePointer(statement))
        return 0
      }, Unmanaged.passUnretained(recorder).toOpaque())
    self.recorder = recorder
  }
}
