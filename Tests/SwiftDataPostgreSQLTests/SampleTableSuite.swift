import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import SwiftData

/// A suite whose tests look at the table of a class `Sample` by SQL, each in a schema of its own.
protocol SampleTableSuite {
  var store: TemporaryStore { get }
}

extension SampleTableSuite {
  func open(_ types: any PersistentModel.Type...) throws -> ModelContainer {
    try TestEngine.postgreSQL.container(Schema(types), store)
  }

  /// Opens a store that an earlier version has made, which had other columns for arrays.
  ///
  /// - Parameter contents: what the store's record says of each array.
  func openFormer(_ type: any PersistentModel.Type, _ contents: AttributeContents?) throws -> ModelContainer {
    let model = try Schema([type]).lowered().mappingAttributes { attribute, _ in
      var attribute = attribute
      if attribute.contents != nil { attribute.contents = contents }
      return attribute
    }
    var options = ServerOptions()
    options.schema = store.databaseSchema
    _ = try ServerStore.open(try #require(TestServer.shared).address, options: options, model: model)
    return try open(type)
  }

  /// Runs a statement, in which `SAMPLE` stands for the table.
  @discardableResult func query(_ sql: String) throws -> QueryResult {
    try #require(TestServer.shared).connect()
      .run(sql.replacingOccurrences(of: "SAMPLE", with: "\"\(store.databaseSchema)\".sample"))
  }

  /// The types of the table's columns.
  func types() throws -> [String: String] {
    let rows = try query(
      """
      SELECT attname::text, format_type(atttypid, NULL) FROM pg_attribute
      WHERE attrelid = 'SAMPLE'::regclass AND attnum > 0
      """)
    return Dictionary(
      (0..<rows.rowCount).map { (rows.text($0, 0) ?? "", rows.text($0, 1) ?? "") }, uniquingKeysWith: { $1 })
  }
}
