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
      Connection.refuseEndlessTriggers(pointer)
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

  /// Refuses triggers of a file that call for recursion, which may be one without end; a statement's own may.
  ///
  /// A trigger of an untrusted file runs on writing without having been asked for. Core Data's own call for none (CD-8).
  static func refuseEndlessTriggers(_ pointer: OpaquePointer) {
    sqlite3_set_authorizer(
      pointer, { _, code, _, _, _, trigger in code == SQLITE_RECURSIVE && trigger != nil ? SQLITE_DENY : SQLITE_OK },
      nil)
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
