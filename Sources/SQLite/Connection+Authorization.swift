import CSQLite

/// Holds the closure that every part of a statement is put to.
final class Authorizer {
  let allows: @Sendable (Connection.Action) -> Bool
  init(_ allows: @escaping @Sendable (Connection.Action) -> Bool) { self.allows = allows }
}

extension Connection {
  /// Something that a statement would do (https://www.sqlite.org/c3ref/c_alter_table.html).
  package enum Action: Sendable, Hashable {
    /// A `SELECT`, the reading of a column, or the recursion of a common table expression.
    case reading
    case function(String)
    case pragma(String, argument: String?)
    /// Anything else: writing, attaching, beginning a transaction.
    case other
  }

  /// Puts every part of the statements that are prepared from now on to a test; what it refuses is an error.
  ///
  /// `nil` ends it. Statements that are kept from before are not asked about again.
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

  /// Refuses statements with recursion, those of triggers above all: it may be one without end. For the same reason triggers
  /// delete rows one by one: emptying a whole table, SQLite goes as deep as its pages do.
  ///
  /// A trigger of an untrusted file runs on writing without having been asked for. Core Data's own call for none (CD-8), and
  /// neither does what a store writes with. Takes the place of what ``authorize(_:)`` installed.
  package func refuseRecursion() throws {
    sqlite3_set_authorizer(
      try pointer(),
      { _, code, _, _, _, trigger in
        switch code {
        case SQLITE_RECURSIVE: SQLITE_DENY
        // Does not ignore the statement, but takes no short cut (https://www.sqlite.org/c3ref/set_authorizer.html).
        case SQLITE_DELETE: trigger == nil ? SQLITE_OK : SQLITE_IGNORE
        default: SQLITE_OK
        }
      }, nil)
    authorizer = nil
  }

  /// Where in the text of a statement the last error is, in bytes; `nil` where SQLite does not know.
  package var errorOffset: Int? {
    guard let pointer = try? pointer() else { return nil }
    let offset = sqlite3_error_offset(pointer)
    return offset >= 0 ? Int(offset) : nil
  }
}

extension ResultCode {
  package static let authorization = ResultCode(rawValue: SQLITE_AUTH)
}
