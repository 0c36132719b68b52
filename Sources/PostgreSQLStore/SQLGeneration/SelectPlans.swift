import StoreRequests
import Synchronization

/// The statements of a store's fetches, printed once for each shape of request.
///
/// A fetch in a loop, with other constants each time, finds its statement here and binds its constants. The cache keeps
/// up to ``limit`` statements, and is emptied when it is full. Any thread may use it.
final class SelectPlans: Sendable {
  /// The result of a statement.
  enum Kind: Hashable { case rows, keys, count }

  private enum Key: Hashable {
    case request(Kind, FetchRequest, texts: [[UInt8]])
    case objects(of: Int32, [ColumnSelection])
    case related(entityName: String, name: String, [ColumnSelection])
  }

  private struct State {
    var statements: [Key: SelectStatement] = [:]
    var printedCount = 0
  }

  static let limit = 512

  private let state = Mutex(State())

  /// How many statements were printed since the store was opened, for tests.
  var printedCount: Int { state.withLock { $0.printedCount } }

  /// The statement for a request.
  ///
  /// - Throws: ``QueryError``, ``QueryPrinter/Undecidable``
  func statement(_ kind: Kind, _ request: FetchRequest, in layout: StoreLayout) throws -> SelectStatement {
    let request = request.withoutIdleBounds
    guard let shape = FetchShape(request) else { return try print { try SelectStatement(kind, request, in: layout) } }
    let key = Key.request(kind, shape.request, texts: shape.texts)
    let kept = state.withLock { $0.statements[key] }
    if let statement = kept?.bound(to: shape.constants) { return statement }
    let statement = try print { try SelectStatement(kind, shape.request, in: layout, ConstantReader(shape)) }
    if kept == nil { keep(statement, for: key) }
    return statement
  }

  /// The statement for objects by their keys, which are its parameter.
  func objects(of entity: StoreEntity, columns: [ColumnSelection], in layout: StoreLayout) throws -> SelectStatement {
    try statement(.objects(of: entity.number, columns)) {
      try .objects(of: entity, columns: columns, in: layout)
    }
  }

  /// The statement for the objects of a to-many relationship, whose owners' keys are its parameter.
  func related(
    to relationship: (entityName: String, name: String), _ toMany: ToManyLayout, columns: [ColumnSelection],
    in layout: StoreLayout
  ) throws -> SelectStatement {
    try statement(.related(entityName: relationship.entityName, name: relationship.name, columns)) {
      try .related(toMany, columns: columns, in: layout)
    }
  }

  private func statement(_ key: Key, _ make: () throws -> SelectStatement) throws -> SelectStatement {
    if let statement = state.withLock({ $0.statements[key] }) { return statement }
    let statement = try print(make)
    keep(statement, for: key)
    return statement
  }

  private func print(_ make: () throws -> SelectStatement) rethrows -> SelectStatement {
    state.withLock { $0.printedCount += 1 }
    return try make()
  }

  private func keep(_ statement: SelectStatement, for key: Key) {
    state.withLock { state in
      if state.statements.count >= Self.limit { state.statements.removeAll(keepingCapacity: true) }
      state.statements[key] = statement
    }
  }
}
