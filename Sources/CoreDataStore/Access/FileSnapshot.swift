import ErrorReporting
import ManagedModel
import SQLite
package import StoreRequests

/// One state of a store, read row by row for a copy to another engine.
final class FileSnapshot: TransferSnapshot {
  private let state: StoreTransaction
  private let metadata: StoreMetadata
  private var layout: StoreLayout { state.layout }
  let entities: EntityTable

  init(_ state: StoreTransaction, _ store: PersistentStore) {
    self.state = state
    metadata = store.metadata
    entities = store.entities
  }

  func rows(_ request: FetchRequest) throws -> any ObjectRows {
    StatementRows(
      try state.statement(request), soleEntity: try layout.existingEntity(request.entityName).soleNumber)
  }

  func related(
    to relationship: (entityName: String, name: String), owners: [ObjectKey]
  ) throws -> any ObjectRows {
    let toMany = try layout.toMany(relationship.name, of: layout.existingEntity(relationship.entityName))
    let statement = try state.connection.statement(
      SelectStatement.related(toMany, columns: [], owners: SQLText.placeholders(max(owners.count, 1)), in: layout))
    for (index, owner) in owners.enumerated() { try statement.bind(owner.key, at: index + 1) }
    return StatementRows(statement, soleEntity: nil, firstColumn: 1)
  }

  func lastKey(of root: StoreEntity) throws -> Int64 {
    let entity = try layout.existingEntity(root.number)
    let counter = "SELECT max(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity.rootNumber)"
    let largest = "SELECT max(Z_PK) FROM \(entity.table)"
    return try state.connection.integer("SELECT max(coalesce((\(counter)), 0), coalesce((\(largest)), 0))") ?? 0
  }

  func keysWithoutObject(_ relationship: StoreRelationship, of entity: StoreEntity) throws -> Set<Int64> {
    let owner = try layout.existingEntity(entity.number)
    let toOne = try layout.toOne(relationship.description.name, of: owner)
    let destination = try layout.destination(of: toOne)
    let key = layout.key(of: toOne, of: owner, alias: "t0")
    let statement = try state.connection.prepare(
      """
      SELECT t0.Z_PK FROM \(owner.table) t0 WHERE \(layout.kindTest(owner, alias: "t0")) AND \(key) IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM \(destination.table) d
          WHERE d.Z_PK = \(key) AND \(layout.kindTest(destination, alias: "d")))
      """)
    var keys: Set<Int64> = []
    while try statement.step() { keys.insert(statement.integer(0)) }
    return keys
  }

  func hasUnreadableValue(_ leaf: Int, of attribute: StoreAttribute, _ object: ObjectKey) throws -> Bool {
    guard let column = try column(leaf, of: attribute, object), column.isExternal,
      let row = try state.values([column.name], of: object)
    else { return false }
    defer { row.reset() }
    return !row.isNull(0)
  }

  func hasRepairedText(_ leaf: Int, of attribute: StoreAttribute, _ object: ObjectKey) throws -> Bool {
    guard let column = try column(leaf, of: attribute, object), let row = try state.values([column.name], of: object)
    else { return false }
    defer { row.reset() }
    return row.hasInvalidText(0)
  }

  /// The column of an attribute's leaf in the rows of an object's entity.
  private func column(_ leaf: Int, of attribute: StoreAttribute, _ object: ObjectKey) throws -> AttributeColumn? {
    let entity = try layout.existingEntity(object.entity)
    guard case .attribute(let known)? = entity.property(named: attribute.description.name),
      known.columns.indices.contains(leaf)
    else { return nil }
    return known.columns[leaf]
  }

  func otherContents() throws -> [String] {
    let tables = try Catalogue(state.connection).columns.keys
    var contents: [String] = []
    if tables.contains(HistoryTables.transaction),
      let count = try state.connection.integer("SELECT count(*) FROM \(HistoryTables.transaction)"), count > 0
    {
      contents.append("the history of \(count) transaction\(count == 1 ? "" : "s")")
    }
    // Keys that Apple's frameworks write begin with NS, or with an underscore.
    let entries = try StoreMetadata.entries(of: metadata.propertyList).keys
      .filter { !$0.hasPrefix("NS") && !$0.hasPrefix("_NS") }.sorted(by: codeUnitOrder)
    if !entries.isEmpty { contents.append("the metadata \(abbreviatedList(entries.map(quoted)))") }
    let known = Set(layout.tables.map(\.name) + layout.joinTables.map(\.name))
      .union([HistoryTables.change, HistoryTables.transaction, HistoryTables.string])
    let searched = layout.searchTables(in: try Catalogue.definitions(state.connection))
    contents += searched.map { "the search index of \(quoted($0.entityName))" }
    let indexNames = Set(searched.flatMap(\.tableNames))
    let others = tables.filter {
      !known.contains($0) && !$0.name.hasPrefix("Z_") && !$0.name.hasPrefix("sqlite_") && !indexNames.contains($0.name)
    }.sorted()
    if !others.isEmpty { contents.append("tables of no entity: \(abbreviatedList(others.map { quoted($0.name) }))") }
    return contents
  }
}

/// The rows of a statement whose columns are key, entity and version, then the selected columns; in a fetch of members the owner's
/// key comes first.
private final class StatementRows: ObjectRows {
  private let statement: Statement
  let soleEntity: Int32?
  private let firstColumn: Int
  private var isOpen = true

  init(_ statement: Statement, soleEntity: Int32?, firstColumn: Int = 0) {
    self.statement = statement
    self.soleEntity = soleEntity
    self.firstColumn = firstColumn
  }

  deinit { close() }

  func next() throws -> Bool {
    guard isOpen else { return false }
    if try statement.step() { return true }
    close()
    return false
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    statement.reset()
  }

  var key: Int64 { statement.integer(firstColumn) }
  var entity: Int32 { Int32(truncatingIfNeeded: statement.integer(firstColumn + 1)) }
  var version: Int64 { statement.integer(firstColumn + 2) }
  var owner: Int64 { statement.integer(0) }

  func value(_ column: Int) -> StoreValue {
    var reader = RowReader(statement, startingAt: firstColumn + 3 + column)
    return reader.value()
  }
}

extension PersistentStore {
  /// Reads one state of the store for a copy to another engine.
  ///
  /// - Throws: errors of `body`; ``StoreError``.
  package func readSnapshot<Result>(_ body: (any TransferSnapshot) throws -> Result) throws -> Result {
    try readState { try body(FileSnapshot($0, self)) }
  }
}
