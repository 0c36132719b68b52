import SQLite
import StoreRequests

/// The new rows of a table with search indexes, when a save inserts many.
///
/// FTS5 writes its words to the index before each statement of a trigger that runs for a row. One statement for all new rows is
/// several times faster. So the save turns triggers off while it inserts these rows, and then adds them to the indexes.
struct LateIndexing {
  fileprivate let indexes: [SearchIndexLayout]
  /// The keys of the new rows, as runs without gaps.
  fileprivate let keys: [ClosedRange<Int64>]

  /// The smallest average number of rows in a run for which this is faster.
  fileprivate static let leastCount = 32
}

extension SaveTransaction {
  /// The tables of which the save adds the new rows to the search indexes after it has inserted them, by entity number.
  ///
  /// Only tables whose triggers all belong to search indexes, and only if the insertions update no row: updates need triggers.
  /// Cost: one query, if the save inserts many rows.
  func tablesToIndexLater() throws -> [Int32: LateIndexing] {
    guard plan.count >= LateIndexing.leastCount, connection.path != nil, freeLaterParts == nil,
      Connection.keepsTemporaryTriggers
    else { return [:] }
    for planned in plan { if case .overwrite = planned.action { return [:] } }
    let definitions = try Catalogue.definitions(connection)
    let indexes = layout.searchTables(in: definitions).filter { $0.isWhole(in: definitions) }
    var later: [Int32: LateIndexing] = [:]
    for (table, own) in Dictionary(grouping: indexes, by: \.table) {
      let names = Set(own.flatMap(\.triggerNames))
      let triggers = definitions.lazy.filter {
        $0.kind == "trigger" && $0.table.lowercased() == table.name.lowercased()
      }
      guard triggers.allSatisfy({ names.contains($0.name) }) else { continue }
      let numbers = Set(layout.entities.filter { $0.table == table }.map { Int32($0.number) })
      let keys = LateIndexing.runs(plan, numbers)
      guard keys.reduce(0, { $0 + $1.count }) >= keys.count * LateIndexing.leastCount, !keys.isEmpty else { continue }
      for number in numbers { later[number] = LateIndexing(indexes: own, keys: keys) }
    }
    return later
  }

  /// Adds the new rows of a table to its search indexes.
  func index(_ rows: LateIndexing) throws {
    for index in rows.indexes {
      let columns = (["Z_PK"] + index.attributes.map(\.column.quoted)).joined(separator: ", ")
      let statement = try connection.statement(
        "INSERT INTO \(index.name) (rowid\(columns.dropFirst(4))) SELECT \(columns) FROM \(index.table) "
          + "WHERE Z_PK BETWEEN ? AND ?")
      for run in rows.keys {
        try statement.bind(run.lowerBound, at: 1)
        try statement.bind(run.upperBound, at: 2)
        try statement.run()
      }
    }
  }
}

extension LateIndexing {
  /// The keys of new rows of some entities, as runs without gaps.
  fileprivate static func runs(_ plan: [PlannedInsertion], _ entities: Set<Int32>) -> [ClosedRange<Int64>] {
    var runs: [ClosedRange<Int64>] = []
    let keys = plan.lazy.compactMap { planned -> Int64? in
      guard case .insert = planned.action, entities.contains(planned.object.entity) else { return nil }
      return planned.object.key
    }
    for key in keys.sorted() {
      if let last = runs.last, last.upperBound == key - 1 {
        runs[runs.count - 1] = last.lowerBound...key
      } else {
        runs.append(key...key)
      }
    }
    return runs
  }
}
