import ErrorReporting
import Foundation
import PostgreSQL
package import StoreRequests

extension ServerStore {
  /// Writes a change set in one transaction, or writes nothing.
  ///
  /// A transaction that the server ended because of another transaction is tried again, a few times. So is a save whose new rows
  /// have the unique values of rows that somebody has inserted meanwhile: they then take the new values.
  ///
  /// - Throws: ``SaveError``, ``QueryError``, ``StoreProblem``, ``PostgreSQLError``, or an error of a source.
  package func save(_ changes: ChangeSet) throws -> SaveResult {
    guard !changes.isEmpty else { return SaveResult() }
    try requireWriting()
    guard changes.batches.isEmpty else {
      // The framework then loads the objects, and changes each of them.
      throw BatchRefusal.unsupported(entity: changes.batches[0].selection.entityName, property: "")
    }
    var attempt = 1
    while true {
      do {
        return try pool.transaction { connection in
          var transaction = SaveTransaction(changes, connection: connection, layout: layout, keys: keys)
          return try transaction.run()
        }
      } catch let error as PostgreSQLError {
        guard attempt < Self.attemptLimit, isWorthTrying(error, changes) else { throw phrased(error) }
        // Waits longer each time, and not as long as the transaction that it met.
        Thread.sleep(forTimeInterval: Double(attempt) * Double.random(in: 0.001...0.01))
        attempt += 1
      }
    }
  }

  private static let attemptLimit = 6

  private func isWorthTrying(_ error: PostgreSQLError, _ changes: ChangeSet) -> Bool {
    guard let state = error.state else { return false }
    return state.isTransient || (state == .uniqueViolation && !changes.insertions.isEmpty)
  }

  /// An error of the server in the words of the model.
  private func phrased(_ error: PostgreSQLError) -> any Error {
    guard let table = layout.tables.first(where: { $0.name.name == error.table }) else { return error }
    switch error.state {
    case .some(.uniqueViolation):
      guard let constraint = table.uniqueConstraints.first(where: { $0.name.name == error.constraint }) else {
        return error
      }
      return SaveError.notUnique(entity: constraint.entity.name, properties: constraint.properties)
    case .some(.notNullViolation), .some(.checkViolation):
      guard let (entity, property) = property(of: error.column ?? error.constraint ?? "", in: table) else {
        return error
      }
      return StoreProblem(
        "property \(quoted(property)) of entity \(quoted(entity)) has no value, which its column requires — nothing was saved",
        remedy: "give it a value")
    case .some(.foreignKeyViolation):
      let key = table.columns.first { $0.reference?.constraint.name == error.constraint }
      guard let (entity, property) = property(of: key?.name.name ?? "", in: table) else { return error }
      return StoreProblem(
        "property \(quoted(property)) of an object of entity \(quoted(entity)) leads to an object that is deleted — nothing was saved",
        remedy: "let it lead to another object or to none, or delete that object, too")
    default: return error
    }
  }

  /// The property that has a column, by the name of the column or of a constraint of it.
  private func property(of column: String, in table: TableLayout) -> (entity: String, property: String)? {
    for entity in table.entities {
      for property in entity.properties {
        let names: [Identifier]
        switch try? layout.property(property.name, of: entity) {
        case .attribute(let attribute): names = attribute.columns.map(\.name)
        case .toOne(let relationship): names = [relationship.key.name]
        default: continue
        }
        if names.contains(where: { $0.name == column || "\(table.name.name)_\($0.name)_check" == column }) {
          return (entity.name, property.name)
        }
      }
    }
    return nil
  }
}
