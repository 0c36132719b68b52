import StoreRequests
import Synchronization

/// The statements of a store's fetches, made once for each shape of request.
///
/// A fetch in a loop, with another constant each time, finds its text here and binds its constants. The cache keeps up to
/// ``limit`` shapes, and is emptied when it is full. Any thread may use it.
final class SelectPlans: Sendable {
  /// The rows that a statement selects for a request.
  enum Kind: Hashable { case rows, keys, count }

  private struct Key: Hashable {
    let kind: Kind
    let shape: FetchRequest
    let texts: [[UInt8]]
  }

  /// The text of a shape, and the source of each value that is bound.
  private enum Plan {
    case statement(String, [Source])
    /// The text depends on the constants' values.
    case perRequest
  }

  private enum Source {
    case constant(Int)
    case value(StoreValue)

    func value(among constants: [StoreValue]) -> StoreValue {
      switch self {
      case .constant(let index): constants[index]
      case .value(let value): value
      }
    }
  }

  private struct State {
    var plans: [Key: Plan] = [:]
    var printedCount = 0
  }

  static let limit = 512

  private let state = Mutex(State())

  /// How many requests were printed since the store was opened, for tests.
  var printedCount: Int { state.withLock { $0.printedCount } }

  /// The statement for a request.
  ///
  /// - Throws: ``QueryError``
  func statement(_ kind: Kind, _ request: FetchRequest, in layout: StoreLayout) throws -> SelectStatement {
    guard let shape = FetchShape(request) else { return try print(kind, request, in: layout) }
    let key = Key(kind: kind, shape: shape.request, texts: shape.texts)
    switch state.withLock({ $0.plans[key] }) {
    case .statement(let sql, let sources):
      return SelectStatement(sql: sql, bindings: sources.map { $0.value(among: shape.constants) })
    case .perRequest: return try print(kind, request, in: layout)
    case nil:
      let statement = try print(kind, request, in: layout)
      let plan = try plan(kind, shape, of: statement, in: layout)
      state.withLock { state in
        if state.plans.count >= Self.limit { state.plans.removeAll(keepingCapacity: true) }
        state.plans[key] = plan
      }
      return statement
    }
  }

  private func print(_ kind: Kind, _ request: FetchRequest, in layout: StoreLayout) throws -> SelectStatement {
    state.withLock { $0.printedCount += 1 }
    return try SelectStatement(kind, request, in: layout)
  }

  /// Prints the shape, whose stand-ins tell where the constants go. A value that is neither a stand-in nor a constant of the
  /// shape was computed from one; such a statement serves its own request only.
  private func plan(
    _ kind: Kind, _ shape: FetchShape, of statement: SelectStatement, in layout: StoreLayout
  ) throws -> Plan {
    let general = try SelectStatement(kind, shape.request, in: layout)
    guard !general.dependsOnValues, !statement.dependsOnValues, general.sql == statement.sql else { return .perRequest }
    var places: [StoreValue: Int] = [:]
    for (index, standIn) in shape.standIns.enumerated() { places[standIn] = index }
    let sources = general.bindings.map { value in places[value].map { Source.constant($0) } ?? .value(value) }
    guard sources.map({ $0.value(among: shape.constants) }) == statement.bindings else { return .perRequest }
    return .statement(general.sql, sources)
  }
}
