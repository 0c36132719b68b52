import ErrorReporting
import PostgreSQL
import StoreRequests

// Errors of values and rows that are too large for the server, in the words of the model.
extension StoreLayout {
  /// The error with the entity, and with the properties whose values may be too long; the error itself if it is about no table of the model.
  ///
  /// The server names the index for values up to 8 KB. For longer values, and for rows that are too long, it names nothing. The
  /// function that found the error tells which of the two it is.
  func phrasedLimit(_ error: PostgreSQLError) -> any Error {
    guard let table = table(named: error) ?? writtenTable(error) else { return error }
    let properties = indexedProperties(of: table, index: error.constraint)
    let names = properties.map { quoted($0.property) }.joined(separator: " or ")
    let reason = "\(onOneLine(error.message)) — nothing was saved"
    if let index = error.constraint {
      guard let entity = properties.first?.entity else { return error }
      return StoreProblem(
        "the value of \(names) of an object of entity \(quoted(entity)) is too long for the index \(quoted(index)): \(reason)",
        remedy: "shorten it, or take the property out of its uniqueness or index")
    }
    let entity = quoted(properties.first?.entity ?? table.root.name)
    if error.isOfIndexRow, !names.isEmpty {
      return StoreProblem(
        "the value of \(names) of an object of entity \(entity) is too long for its index: \(reason)",
        remedy: "shorten it, or take the property out of its uniqueness or index")
    }
    guard error.isOfRow else { return error }
    return StoreProblem(
      "an object of entity \(entity) is too large for a row of the table \(quoted(table.name.name)): \(reason)",
      remedy: "give the class fewer properties")
  }

  /// The properties of an index whose values have any length.
  ///
  /// - Parameter name: the name of the index or constraint; `nil` for all of the table.
  private func indexedProperties(of table: TableLayout, index name: String?) -> [(entity: String, property: String)] {
    var columns: Set<Identifier> = []
    for constraint in table.uniqueConstraints where name == nil || constraint.name.name == name {
      columns.formUnion(constraint.columns.map(\.name))
    }
    for index in table.indexes where name == nil || index.name.name == name { columns.formUnion(index.columns) }
    var properties: [(entity: String, property: String)] = []
    for column in table.columns where columns.contains(column.name) && column.type.hasAnyLength {
      guard let found = property(of: column, in: table) else { continue }
      // A structure has several columns.
      let isKnown = properties.contains { $0.entity == found.entity && $0.property == found.property }
      if !isKnown { properties.append(found) }
    }
    return properties
  }

  /// The table whose rows a statement of a save writes or deletes.
  func writtenTable(_ error: PostgreSQLError) -> TableLayout? {
    guard let statement = error.statement else { return nil }
    return tables.first {
      statement.contains("INSERT INTO \($0.sql) (") || statement.contains("UPDATE \($0.sql) t SET ")
        || statement.hasPrefix("DELETE FROM \($0.sql) ")
    }
  }
}

extension PostgreSQLError {
  /// Whether the server could not make a row of an index.
  fileprivate var isOfIndexRow: Bool { routine?.hasPrefix("index_form_tuple") == true }

  /// Whether the server found no page for a row of a table.
  fileprivate var isOfRow: Bool { routine == "RelationGetBufferForTuple" }
}

extension DataType {
  /// Whether values have any number of bytes.
  fileprivate var hasAnyLength: Bool {
    switch self {
    case .text, .bytes, .json, .jsonb, .numeric: true
    case .boolean, .integer64, .integer16, .integer32, .single, .double, .moment, .uuid: false
    case .booleans, .byteStrings, .integers16, .integers32, .texts, .integers64, .singles, .doubles, .moments,
      .numerics, .uuids:
      true
    }
  }
}
