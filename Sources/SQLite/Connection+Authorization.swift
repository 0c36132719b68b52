import CSQLite

/// Holds the closure that allows or denies each action of a statement.
final class Authorizer {
  let allows: @Sendable (Connection.Action) -> Bool
  init(_ allows: @escaping @Sendable (Connection.Action) -> Bool) { self.allows = allows }
}

extension Connection {
  /// An action of a statement (https://www.sqlite.org/c3ref/c_alter_table.html).
  package enum Action: Sendable, Hashable {
    /// A `SELECT`, the reading of a column, or the recursion of a common table expression.
    case reading
    case function(String)
    case pragma(String, argument: String?)
    /// Anything else: writing, attaching, beginning a transaction.
    case other
  }

  /// Checks each action of every statement that is prepared from now on. A denied action is an error.
  ///
  /// `nil` ends the checks. A statement that was kept from before is prepared again when it next starts, so it is
  /// checked too.
  package func authorize(_ allows: (@Sendable (Action) -> Bool)?) throws {
    let pointer = try pointer()
    guard let allows else {
      sqlite3_set_authorizer(pointer, nil, nil)
      authorizer = nil
      return
    }
    let authorizer = Authorizer(allows)
    sqlite3_set_authorizer(
      pointer,
      { context, code, first, second, _, _ in
        guard let context else { return SQLITE_DENY }
        let action: Action =
          switch code {
          case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: .reading
          case SQLITE_FUNCTION: .function(second.map { String(cString: $0) } ?? "")
          case SQLITE_PRAGMA:
            .pragma(first.map { String(cString: $0) } ?? "", argument: second.map { String(cString: $0) })
          default: .other
          }
        return Unmanaged<Authorizer>.fromOpaque(context).takeUnretainedValue().allows(action) ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(authorizer).toOpaque())
    self.authorizer = authorizer
  }

  /// Denies recursive common table expressions, above all in triggers, because a recursion may have no end. Also makes
  /// triggers delete rows one by one, because SQLite recurses once per level of a b-tree when it empties a whole table.
  ///
  /// A write fires the triggers of an untrusted file without a call for them. Core Data's own triggers need no
  /// recursion (CD-8), and neither do the statements that a store writes with. Replaces the authorizer that
  /// ``authorize(_:)`` installed.
  package func refuseRecursion() throws {
    sqlite3_set_authorizer(
      try pointer(),
      { _, code, _, _, _, trigger in
        switch code {
        case SQLITE_RECURSIVE: SQLITE_DENY
        // Here SQLITE_IGNORE does not skip the statement; it only turns off the shortcut that empties a whole table
        // (https://www.sqlite.org/c3ref/set_authorizer.html).
        case SQLITE_DELETE: trigger == nil ? SQLITE_OK : SQLITE_IGNORE
        default: SQLITE_OK
        }
      }, nil)
    authorizer = nil
  }

  /// Runs a program's own statements inside a transaction, which they can neither end nor begin anew.
  ///
  /// Recursion is refused as by ``refuseRecursion()``, whose authorizer is in force afterwards.
  /// - Throws: ``SQLiteError``; ``ResultCode/authorization`` for `COMMIT`, `ROLLBACK`, `BEGIN` and `END`.
  package func executeInTransaction(_ script: String) throws {
    sqlite3_set_authorizer(
      try pointer(),
      { _, code, _, _, _, trigger in
        switch code {
        case SQLITE_RECURSIVE, SQLITE_TRANSACTION: SQLITE_DENY
        case SQLITE_DELETE: trigger == nil ? SQLITE_OK : SQLITE_IGNORE
        default: SQLITE_OK
        }
      }, nil)
    let result = Result { try execute(script) }
    try refuseRecursion()
    try result.get()
  }

  /// The byte offset of the last error in the text of its statement; `nil` if SQLite does not know it.
  package var errorOffset: Int? {
    guard let pointer = try? pointer() else { return nil }
    let offset = sqlite3_error_offset(pointer)
    return offset >= 0 ? Int(offset) : nil
  }
}

extension ResultCode {
  package static let authorization = ResultCode(rawValue: SQLITE_AUTH)
}
