import Foundation
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Compares what a store's own interface reads with what SQL over the columns that the independent checker names finds.
struct RealStoresReader {
  private let store: PersistentStore
  private let connection: Connection
  private let copy: TemporaryStore
  private(set) var rowCount = 0
  private var values = 0
  private var pairs = 0
  private var dangling = 0

  /// - Parameter copy: of which another copy is made, that SQL may change as it likes.
  init(_ store: PersistentStore, _ copy: TemporaryStore) throws {
    self.store = store
    self.copy = try TemporaryStore(name: copy.url.lastPathComponent)
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: copy.url.path + suffix) {
      try FileManager.default.copyItem(atPath: copy.url.path + suffix, toPath: self.copy.url.path + suffix)
    }
    connection = try Connection(path: self.copy.url.path, mode: .readWrite)
  }

  var summary: String {
    "\(rowCount) rows, \(values) values, \(pairs) pairs of relationships"
      + (dangling > 0 ? ", \(dangling) keys to nothing" : "")
  }

  /// All rows of an entity and its subentities, with attributes and to-one relationships; then its to-many relationships.
  mutating func compare(_ entity: RealStoresOracle.Entity) throws {
    let layout = try #require(store.layout.entity(named: entity.name))
    let names = (entity.attributes.map(\.name) + entity.toOne.map(\.name) + entity.toMany.map(\.name)).sorted()
    #expect(layout.properties.map(\.name).sorted() == names, "\(entity.name)")
    try compareRows(entity, isRoot: layout.number == layout.rootNumber)
    for relationship in entity.toMany { try compare(relationship, of: entity) }
  }

  private mutating func compareRows(_ entity: RealStoresOracle.Entity, isRoot: Bool) throws {
    var selected = ["Z_PK", "Z_ENT", "Z_OPT"]
    for attribute in entity.attributes { selected += attribute.columns.map { "a.\"\($0)\"" } }
    for relationship in entity.toOne {
      selected.append("a.\"\(relationship.key)\"")
      selected.append("(SELECT Z_ENT FROM \"\(relationship.table)\" WHERE Z_PK = a.\"\(relationship.key)\")")
    }
    let expected = try sql(
      "SELECT \(selected.joined(separator: ", ")) FROM \"\(entity.table)\" a WHERE Z_ENT IN \(list(entity.kinds)) ORDER BY 1"
    )
    let found = try store.rows(of: entity.name, properties: entity.attributes.map(\.name) + entity.toOne.map(\.name))
    #expect(found.count == expected.count && found.map(\.count) == expected.map(\.count), "\(entity.name)")
    #expect(try store.count(FetchRequest(entityName: entity.name)) == expected.count, "\(entity.name)")
    if isRoot { rowCount += found.count }
    let externals = entity.attributes.flatMap { attribute in attribute.columns.map { _ in attribute.isExternal } }
    for (row, wanted) in zip(found, expected) {
      if isRoot { values += row.count { $0 != .null } }
      if row == wanted { continue }
      for index in row.indices where row[index] != wanted[index] {
        let column = index - 3
        if externals.indices.contains(column) {
          // External data comes without its prefix, and not at all from a file that is not there (CD-5).
          guard externals[column], case .blob(let stored) = wanted[index] else {
            Issue.record("\(entity.name) p\(row[0]), value \(column)")
            continue
          }
          #expect(row[index] == (stored.first == 1 ? .blob(stored.dropFirst()) : .null), "\(entity.name) p\(row[0])")
        } else if (column - externals.count) % 2 == 1, wanted[index] == .null {
          // The entity of no row: what stands beside an empty or dangling key does not matter.
          if wanted[index - 1] != .null, isRoot { dangling += 1 }
        } else {
          Issue.record("\(entity.name) p\(row[0]), key \(column): \(row[index]), not \(wanted[index])")
        }
      }
    }
  }

  private mutating func compare(_ relationship: RealStoresOracle.ToMany, of entity: RealStoresOracle.Entity) throws {
    let owners = try store.keys(FetchRequest(entityName: entity.name))
    let known = Set(owners.map(\.key))
    let order = relationship.order.map { "p.\"\($0)\"" } ?? "3"
    let expected = try sql(
      """
      SELECT p."\(relationship.owner)", a.Z_PK, a.Z_ENT FROM "\(relationship.pairs)" p \
      JOIN "\(relationship.table)" a ON a.Z_PK = p."\(relationship.member)" \
      WHERE p."\(relationship.owner)" IS NOT NULL AND a.Z_ENT IN \(list(relationship.kinds)) ORDER BY 1, \(order), 2
      """
    ).filter { if case .integer(let owner) = $0[0] { known.contains(owner) } else { false } }
    let cursor = try store.related(to: (entity.name, relationship.name), owners: owners, columns: [])
    var found: [[StoreValue]] = []
    while try cursor.next() {
      found.append([.integer(cursor.owner), .integer(cursor.key), .integer(Int64(cursor.entity))])
    }
    pairs += found.count
    if relationship.order != nil {
      #expect(found == expected, "\(entity.name).\(relationship.name)")
    } else {
      #expect(found.count == expected.count && Set(found) == Set(expected), "\(entity.name).\(relationship.name)")
    }
  }

  private func list(_ numbers: [Int]) -> String { "(\(numbers.map(String.init).joined(separator: ", ")))" }

  private func sql(_ text: String) throws -> [[StoreValue]] {
    try PlainSQL.rows(connection, text)
  }
}
