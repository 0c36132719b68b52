import CSQLite

/// Holds the closure that receives every statement with the time it took.
final class StatementTimer {
  let isExpanded: Bool
  let record: @Sendable (String, Duration) -> Void

  init(isExpanded: Bool, _ record: @escaping @Sendable (String, Duration) -> Void) {
    self.isExpanded = isExpanded
    self.record = record
  }

  func hear(_ statement: OpaquePointer, _ nanoseconds: Int64) {
    guard isExpanded, let sql = sqlite3_expanded_sql(statement) else {
      if let sql = sqlite3_sql(statement) { record(String(cString: sql), .nanoseconds(nanoseconds)) }
      return
    }
    record(String(cString: sql), .nanoseconds(nanoseconds))
    sqlite3_free(sql)
  }
}

extension Connection {
  /// Calls `record` with the text of every statement when it ends, and the time from its first step on.
  ///
  /// Takes the place of a recorder that ``onStatement(isExpanded:_:)`` installed. Costs one call per statement.
  /// - Parameter isExpanded: whether the text has the bound values instead of placeholders.
  package func onStatementEnd(isExpanded: Bool, _ record: @escaping @Sendable (String, Duration) -> Void) throws {
    let timer = StatementTimer(isExpanded: isExpanded, record)
    sqlite3_trace_v2(
      try pointer(), UInt32(SQLITE_TRACE_PROFILE),
      { _, context, statement, nanoseconds in
        guard let context, let statement, let nanoseconds else { return 0 }
        Unmanaged<StatementTimer>.fromOpaque(context).takeUnretainedValue()
          .hear(OpaquePointer(statement), nanoseconds.load(as: Int64.self))
        return 0
      }, Unmanaged.passUnretained(timer).toOpaque())
    self.timer = timer
  }
}
