import ManagedModel
import SQLite
import StoreRequests

@testable import CoreDataStore

/// A relationship of an object whose destination row is missing (CD-3.1); it is read as no object.
struct DanglingKey: Hashable {
  /// The row that has the key. Of a pair in a join table, the row that exists.
  let object: ObjectKey
  /// The relationship of that row; for a to-many relationship without inverse, that of the missing owner.
  let relationship: String
  /// The entity whose row is missing.
  let destination: String
  /// The key of the missing row.
  let missingKey: Int64
}

extension PersistentStore {
  /// Relationships that lead to missing rows, by entity and key.
  ///
  /// A pair of a join table without both of its rows belongs to no object, so it is not listed.
  func danglingKeys() throws -> [DanglingKey] {
    try read { connection in
      var found: [DanglingKey] = []
      for query in layout.danglingKeyQueries {
        let statement = try connection.prepare(query.sql)
        while try statement.step() {
          found.append(
            DanglingKey(
              object: ObjectKey(entity: Int32(clamping: statement.integer(0)), key: statement.integer(1)),
              relationship: query.relationship, destination: query.destination, missingKey: statement.integer(2)))
        }
      }
      return found
    }
  }
}

extension StoreLayout {
  /// Queries for entity and key of a row, and the key of the missing row.
  fileprivate var danglingKeyQueries: [(relationship: String, destination: String, sql: String)] {
    entities.flatMap { entity in
      entity.properties.filter { $0.declaringEntityName == entity.name }.compactMap { property in
        switch property {
        case .attribute: return nil
        case .toOne(let relationship):
          let sql = danglingKeys(in: entity.table, key: relationship.key, of: relationship.destinationTable)
          return (property.name, relationship.destinationName, sql)
        case .toMany(let relationship):
          switch relationship.storage {
          case .key(let side):
            guard side.isVirtual else { return nil }
            return (property.name, entity.name, danglingKeys(in: side.table, key: side.key, of: entity.table))
          case .joinTable(let side):
            let sql =
              "SELECT o.Z_ENT, o.Z_PK, j.\(side.otherColumn) FROM \(side.table) j JOIN \(entity.table) o "
              + "ON o.Z_PK = j.\(side.ownColumn) WHERE NOT EXISTS (SELECT 1 FROM \(relationship.destinationTable) d "
              + "WHERE d.Z_PK = j.\(side.otherColumn)) ORDER BY o.Z_PK, j.\(side.otherColumn)"
            return (property.name, relationship.destinationName, sql)
          }
        }
      }
    }
  }

  private func danglingKeys(in table: Identifier, key: Identifier, of destination: Identifier) -> String {
    "SELECT o.Z_ENT, o.Z_PK, o.\(key) FROM \(table) o WHERE o.\(key) IS NOT NULL AND NOT EXISTS "
      + "(SELECT 1 FROM \(destination) d WHERE d.Z_PK = o.\(key)) ORDER BY o.Z_PK"
  }
}
