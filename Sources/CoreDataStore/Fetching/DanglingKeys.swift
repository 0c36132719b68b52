import ManagedModel
import SQLite
package import StoreRequests

/// A relationship of an object that leads to a row that is not there (CD-3.1); it is read as no object.
package struct DanglingKey: Sendable, Hashable {
  /// The row that has the key; of a pair in a join table the one at the end that is there.
  package let object: ObjectKey
  /// The relationship of that row; for a to-many relationship without inverse, that of the missing owner.
  package let relationship: String
  /// The entity whose row is missing.
  package let destination: String
  /// The key of the missing row.
  package let missingKey: Int64
}

extension PersistentStore {
  /// Relationships that lead to rows that are not there, by entity and key, at most as many as a limit.
  ///
  /// Real stores have few, left behind by deletions of other programs; reading, saving and deleting pass over them. A pair of
  /// which both ends are gone is nobody's and not listed. Cost: a scan of each table with keys.
  /// - Throws: `SQLiteError`
  package func danglingKeys(limit: Int = .max) throws -> [DanglingKey] {
    try read { connection in
      var found: [DanglingKey] = []
      for query in layout.danglingKeyQueries where found.count < limit {
        let statement = try connection.prepare("\(query.sql) LIMIT \(max(limit, 0) - found.count)")
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
  /// → entity and key of a row, and the key that leads nowhere.
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
