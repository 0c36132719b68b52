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
    try state.rows(request)
  }

  func related(
    to relationship: (entityName: String, name: String), owners: [ObjectKey]
  ) throws -> any ObjectRows {
    let toMany = try layout.toMany(relationship.name, of: layout.existingEntity(relationship.entityName))
    let statement = try state.connection.statement(
      SelectStatement.related(toMany, columns: [], owners: SQLText.placeholders(max(owners.count, 1)), in: layout))
    for (index, owner) in owners.enumerated() { try statement.bind(owner.key, at: index + 1) }
    return StoredRows(statement, soleEntity: nil, firstColumn: 1)
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
    try state.hasUnreadableValue(leaf, of: attribute, object)
  }

  func hasRepairedText(_ leaf: Int, of attribute: StoreAttribute, _ object: ObjectKey) throws -> Bool {
    try state.hasRepairedText(leaf, of: attribute, object)
  }

  func otherContents() throws -> [String] {
    let tables = try Catalogue(state.connection).columns.keys
    var contents: [String] = []
    if tables.contains(HistoryTables.transaction),
      let count = try state.connection.integer("SELECT count(*) FROM \(HistoryTables.transaction)"), count > 0
    {
      contents.append("the history of \(counted(count, "transaction"))")
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

extension PersistentStore {
  /// Reads one state of the store for a copy to another engine.
  ///
  /// - Throws: errors of `body`; ``StoreError``.
  package func readSnapshot<Result>(_ body: (any TransferSnapshot) throws -> Result) throws -> Result {
    try readState { try body(FileSnapshot($0, self)) }
  }
}
