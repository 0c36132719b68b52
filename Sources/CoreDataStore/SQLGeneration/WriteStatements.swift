import SQLite
import StoreRequests
import Synchronization

/// What tells apart the statements that write a store's rows.
struct WriteShape: Hashable {
  let kind: Kind
  let entity: Int32
  let columns: [ColumnSelection]

  enum Kind: Hashable {
    case insert
    case update(bumpsVersion: Bool, checksVersion: Bool)
  }
}

/// The statements that write a store's rows, made once for each shape.
///
/// So a small save makes no text. The cache keeps up to ``limit`` shapes, and is emptied when it is full. Any thread may use it.
final class WriteStatements: Sendable {
  static let limit = 512

  private let statements = Mutex<[WriteShape: WriteStatement]>([:])

  /// The statement of a shape.
  ///
  /// - Throws: ``QueryError`` if the entity does not have a column's property.
  func statement(_ shape: WriteShape, of entity: EntityLayout, in layout: StoreLayout) throws -> WriteStatement {
    if let known = statements.withLock({ $0[shape] }) { return known }
    let made =
      switch shape.kind {
      case .insert: try WriteStatement.insert(entity, columns: shape.columns, in: layout)
      case .update(let bumps, let checks):
        try WriteStatement.update(
          entity, columns: shape.columns, bumpsVersion: bumps, checksVersion: checks, in: layout)
      }
    statements.withLock { statements in
      if statements.count >= Self.limit { statements.removeAll(keepingCapacity: true) }
      statements[shape] = made
    }
    return made
  }
}
