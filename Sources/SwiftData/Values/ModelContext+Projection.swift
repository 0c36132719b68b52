internal import Foundation
internal import StoreRequests

extension ModelContext {
  /// Fetches values of the objects that a descriptor selects, in its order, as values of a type that decodes them by name.
  ///
  ///     struct Line: Decodable {
  ///       struct Writer: Decodable { let name: String }
  ///       let id: PersistentIdentifier
  ///       let title: String
  ///       let author: Writer?
  ///     }
  ///     let lines = try context.fetchValues(FetchDescriptor<Book>(), as: Line.self)
  ///
  /// A key names a property, and a nested type reads the object of a relationship; `id` and `persistentModelID` are the
  /// identifier. A value of another type is read through JSON: an enumeration as its raw value, a structure as another structure.
  ///
  /// Cost: one query for the columns that the type reads, and one row before to learn them. The objects are loaded in the
  /// cases of ``fetchValues(_:_:)``, and for to-many relationships, which are decoded as lists. Not in Apple's framework.
  /// - Throws: ``SwiftDataError``: `unsupportedKeyPath` for a key without a property, and as ``fetchValues(_:_:)``;
  ///   `DecodingError` for a value that does not fit, and errors of the type's own `init(from:)`.
  public func fetchValues<T: PersistentModel, Value: Decodable>(
    _ descriptor: FetchDescriptor<T>, as type: Value.Type
  ) throws -> [Value] {
    try core.exclusiveUse.during("fetching values") {
      if let values = try core.decodedRows(of: descriptor, as: type) { return values }
      return try core.fetch(descriptor).map { try Value(from: ProjectionDecoder(ProjectedModel(object: $0))) }
    }
  }
}

extension ContextCore {
  /// - Returns: `nil` if the values must be read from objects.
  fileprivate func decodedRows<Model: PersistentModel, Value: Decodable>(
    of descriptor: FetchDescriptor<Model>, as type: Value.Type
  ) throws -> [Value]? {
    guard let source = try valueSource(of: descriptor) else { return nil }
    let plan = ProjectionPlan(source.store)
    let row = ProjectedRow(plan: plan, model: ModelClass.of(Model.self))
    var result: [Value] = []
    var request = source.request
    repeat {
      plan.begin()
      result = []
      request.values = plan.expressions.isEmpty ? [.constant(.integer(1))] : plan.expressions
      // The first pass learns the columns of one row.
      request.limit = plan.expressions.isEmpty ? min(source.request.limit ?? 1, 1) : source.request.limit
      do {
        try forEachRow(of: request, source.engine, source.store) { reader in
          try plan.read(&reader)
          let value = Result { try Value(from: ProjectionDecoder(row)) }
          if plan.needsObjects { throw ValueNeedsObject() }
          if plan.isIncomplete { throw ProjectionPlan.NeedsColumns() }
          result.append(try value.get())
        }
      } catch is ProjectionPlan.NeedsColumns {
        continue
      } catch is ValueNeedsObject {
        return nil
      }
      // A type without any key decodes every row alike.
      if plan.expressions.isEmpty, !result.isEmpty, source.request.limit != 1 { return nil }
    } while plan.isIncomplete
    return result
  }
}
