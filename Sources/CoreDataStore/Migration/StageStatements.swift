import ErrorReporting
import ManagedModel
import SQLite
import StoreRequests

/// A program's own statement that cannot be part of a migration; the store is as it was.
package struct StageStatementError: ReportableError, Sendable, Hashable {
  package let statement: String

  package var problem: String {
    "the statement \(quoted(onOneLine(statement, limit: 200))) of a stage begins or ends a transaction, or has a recursion"
  }
  package var remedy: String? {
    "leave COMMIT, ROLLBACK and BEGIN out: all stages run in one transaction; write a recursion in a custom stage"
  }
}

extension MigrationStep {
  /// Runs the statements before the inferred changes.
  func runStatementsBefore(on connection: Connection) throws { try run(statementsBefore, on: connection) }

  /// Runs the statements after the inferred changes, and checks that they leave a value in each mandatory property that had one.
  ///
  /// Cost: counts the rows without a value of each mandatory property, twice.
  func runStatementsAfter(on connection: Connection, in layout: @autoclosure () throws -> StoreLayout) throws {
    guard !statementsAfter.isEmpty else { return }
    let columns = try layout().mandatoryColumns
    let before = try columns.map { try connection.integer($0.countOfMissing) ?? 0 }
    try run(statementsAfter, on: connection)
    for (column, before) in zip(columns, before) {
      guard let count = try connection.integer(column.countOfMissing), count > before else { continue }
      throw MigrationError(
        obstacle: MigrationObstacle(entity: column.entity, property: column.property, reason: .emptied),
        rowCount: count - before)
    }
  }

  private func run(_ statements: [String], on connection: Connection) throws {
    for sql in statements {
      do { try connection.executeInTransaction(sql) } catch let error as SQLiteError where error.code == .authorization
      {
        throw StageStatementError(statement: sql)
      }
    }
  }
}

/// A column that has a value in each row of an entity.
private struct MandatoryColumn {
  let entity: String
  let property: String
  let countOfMissing: String
}

extension StoreLayout {
  fileprivate var mandatoryColumns: [MandatoryColumn] {
    entities.filter { !$0.isAbstract }.flatMap { entity in
      entity.properties.flatMap { property -> [MandatoryColumn] in
        switch property {
        case .attribute(let attribute):
          guard !attribute.description.isOptional else { return [] }
          return attribute.columns.filter { attribute.requiresValue(in: $0) }.map {
            mandatory($0.name, $0.spelledPath, of: entity)
          }
        case .toOne(let relationship):
          guard !relationship.description.isOptional else { return [] }
          return [mandatory(relationship.key, relationship.description.name, of: entity)]
        case .toMany: return []
        }
      }
    }
  }

  private func mandatory(_ column: Identifier, _ property: String, of entity: EntityLayout) -> MandatoryColumn {
    let test = entity.soleNumber == nil ? "Z_ENT = \(entity.number) AND " : ""
    return MandatoryColumn(
      entity: entity.name, property: property,
      countOfMissing: "SELECT count(*) FROM \(entity.table) WHERE \(test)\(column) IS NULL")
  }
}

extension AttributeColumn {
  /// The path as messages spell it.
  var spelledPath: String { MigrationObstacle.spelling(of: path) }
}
