import ErrorReporting
import PostgreSQL
import StoreRequests

extension TableLayout {
  /// The name of the `CHECK` that demands a value of a column in rows of some entities. The server's error names it.
  func checkName(of column: Identifier) -> Identifier {
    Identifier(shortening: "\(name.name)_\(column.name)_check")
  }

  /// The most columns that the server gives a table.
  private static let columnLimit = 1600

  /// - Throws: ``StoreProblem`` for a hierarchy with more properties than a table has columns.
  func checkWidth() throws {
    let own = [Self.key, Self.version] + (hasKinds ? [Self.kind] : [])
    let count = own.count + columns.count
    guard count > Self.columnLimit else { return }
    throw StoreProblem(
      "entity \(quoted(root.name))\(hasKinds ? " with its subentities" : "") needs a table of \(count) columns, and a table has at most \(Self.columnLimit)",
      remedy: hasKinds
        ? "divide the hierarchy, whose classes share a table, or mark structures with .codable"
        : "divide the class, or mark structures with .codable")
  }
}
