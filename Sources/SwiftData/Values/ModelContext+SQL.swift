internal import CoreDataStore
internal import Foundation
internal import ManagedModel
internal import StoreRequests

extension ModelContext {
  /// Runs a `SELECT` in the store of a class, and returns its rows. The statement sees saved rows only.
  ///
  ///     let query: SQLQuery<Book> = "SELECT \(\.title) AS title, count(*) FROM \(Book.self) GROUP BY 1"
  ///     for row in try context.sql(query) { print(row["title", as: String.self] ?? "", row[1, as: Int.self] ?? 0) }
  ///
  /// `\(\.persistentModelID)` is the column of the row's key. In a file, tables and columns are Core Data's (`Documentation/`): a
  /// subclass shares the table of its base class, and each table has `Z_PK`, `Z_ENT` and `Z_OPT`. Over PostgreSQL, the statement is in the
  /// server's SQL, and columns have the server's types. Cost: the query, and all its rows in memory. A class in several stores is asked for
  /// in the first. Not in Apple's framework.
  /// - Throws: ``SwiftDataError``: `unsupportedPredicate` for a statement that is invalid or would write, and for a store without
  ///   SQL; `unsupportedKeyPath` for a property without a column of its own; `unknownSchema`; `storeFailure`.
  public func sql<T: PersistentModel>(_ query: SQLQuery<T>) throws -> [SQLRow] {
    try core.exclusiveUse.during("running SQL") { try core.rows(of: query) }
  }
}

extension ContextCore {
  fileprivate func rows<Model: PersistentModel>(of query: SQLQuery<Model>) throws -> [SQLRow] {
    guard let binding = try container.existingBindings(of: Model.self).first else { return [] }
    let store = store(binding.tag)
    guard let engine = store.engine as? any SQLEngine else {
      throw SwiftDataError(
        .unsupportedPredicate, "The store of \(binding.name) does not answer SQL: fetch objects or values.")
    }
    let parts = try query.parts.map { part -> SQLPart in
      switch part {
      case .text(let sql): .text(sql)
      case .table(let type): .table(entityName: try entityName(type))
      case .value(let value, let type): .value(value, AttributeType(rawValue: type) ?? .string)
      case .column(let keyPath, let type): try column(keyPath, type, store)
      }
    }
    do {
      let result = try store.reporting { _ in try engine.rows(of: parts) }
      return result.rows.map { SQLRow(columns: result.columns, values: $0, decimalColumns: result.decimalColumns) }
    } catch let error as SwiftDataError {
      guard let problem = error.underlyingError as? SQLProblem else { throw error }
      throw SwiftDataError(.unsupportedPredicate, "\(problem)", underlyingError: problem)
    }
  }

  private func entityName(_ type: any PersistentModel.Type) throws -> String {
    guard let binding = container.binding(of: type) else {
      throw SwiftDataError(.unknownSchema, "The container's schema lacks the class \(type) of an SQL statement.")
    }
    return binding.name
  }

  private func column(
    _ keyPath: AnyKeyPath, _ type: any PersistentModel.Type, _ store: OpenStore
  ) throws -> SQLPart {
    let name = try entityName(type)
    let unsupported = SwiftDataError(
      .unsupportedKeyPath,
      "The property \(name).\(sketch(keyPath)) of an SQL statement has no column of its own: name an attribute or a to-one relationship."
    )
    guard let route = try? StoreResolver(store: store).route(of: keyPath, from: type), route.count == 1 else {
      throw unsupported
    }
    switch route[0] {
    case .attribute(let property, let element, _):
      return .column(property: property, element: element, entityName: name)
    case .toOne(let property, _): return .column(property: property, element: [], entityName: name)
    case .identifier: return .key
    case .composite, .toMany: throw unsupported
    }
  }
}

/// One value as a row.
final class SingleValue: RowValues {
  private let value: StoreValue
  /// The digits of a decimal number that a floating-point number would cut.
  private let digits: String?

  init(_ value: StoreValue, isDecimal: Bool = false) {
    if isDecimal, case .text(let text) = value, let number = Double(text) {
      self.value = .real(number)
      digits = text
    } else {
      self.value = value
      digits = nil
    }
  }

  func value(_ column: Int) -> StoreValue { value }
  func decimal(_ column: Int) -> Decimal? { digits.flatMap { Decimal(string: $0) } ?? Decimal(value) }
  var reader: _RowReader { _RowReader(RowReader(self)) }
}
