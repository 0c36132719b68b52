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
  /// A key names a property of the fetched class, and a nested type reads the object of a relationship; `id` and
  /// `persistentModelID` are the identifier. A key without a property is nil if it is optional, and an error otherwise. A
  /// value of another type is read through JSON: an enumeration as its raw value, a structure as another structure.
  ///
  /// Cost: one query for the columns that the type reads. Before it, queries for one row learn the columns: one for the
  /// type, and one for each to-one relationship that it follows. A key that the type reads in some rows only begins the
  /// query again. So `init(from:)` may run more than once for a row, always with values of the store. The objects are
  /// loaded in the cases of ``fetchValues(_:_:)->[(Value)]``, and for to-many relationships, which are decoded as lists. Not in
  /// Apple's framework.
  /// - Throws: ``SwiftDataError``: `unsupportedKeyPath` for a mandatory key without a property, and as
  ///   ``fetchValues(_:_:)->[(Value)]``; `DecodingError` for a value that does not fit, and errors of the type's own `init(from:)`.
  public func fetchValues<T: PersistentModel, Value: Decodable>(
    _ descriptor: FetchDescriptor<T>, as type: Value.Type
  ) throws -> [Value] {
    try core.exclusiveUse.during("fetching values") {
      try core.decodedRows(of: descriptor, as: type)
        ?? core.valuesOfObjects(descriptor) { try decodedValue(of: $0) }
    }
  }
}

extension ContextCore {
  /// - Returns: `nil` if the values must be read from objects.
  fileprivate func decodedRows<Model: PersistentModel, Value: Decodable>(
    of descriptor: FetchDescriptor<Model>, as type: Value.Type
  ) throws -> [Value]? {
    guard let sources = try valueSources(of: descriptor) else { return nil }
    var result: [Value] = []
    for source in sources {
      guard let values = try decodedRows(of: source, as: type) else { return nil }
      result += values
    }
    return result
  }

  private func decodedRows<Model: PersistentModel, Value: Decodable>(
    of source: ValueSource<Model>, as type: Value.Type
  ) throws -> [Value]? {
    let model = ModelClass.of(Model.self)
    let plan = ProjectionPlan(source.store) { ProjectedRow(plan: $0, model: model) }
    let row = ProjectedRow(plan: plan, model: model)
    func decoded(_ reader: inout _RowReader) throws -> Result<Value, any Error> {
      try plan.read(&reader)
      let value = Result { try Value(from: ProjectionDecoder(row)) }
      if plan.needsObjects { throw ValueNeedsObject() }
      if plan.isIncomplete { throw ProjectionPlan.NeedsColumns() }
      return value
    }
    repeat {
      plan.begin()
      let columns = plan.columns.isEmpty ? [.constant(.integer(1))] : plan.columns.map(\.expression)
      do {
        guard plan.isLearning else {
          return try values(
            of: source, columns, fromObject: { try decodedValue(of: $0) }, fromRow: { try decoded(&$0).get() })
        }
        var request = ValueRequest(source.plan.request, values: columns)
        request.limit = request.limit == 0 ? 0 : 1
        var hasRow = false
        try forEachRow(of: request, source.engine, source.store) { reader in
          // An error does not count: an unsaved change may rule out the row.
          _ = try decoded(&reader)
          hasRow = true
        }
        // Without a row to learn from, only unsaved objects can have values.
        guard hasRow else { return nil }
        plan.endLearning()
      } catch is ProjectionPlan.NeedsColumns {
        continue
      } catch is ValueNeedsObject {
        return nil
      }
    } while true
  }
}

/// A type's value that is decoded from an object.
private func decodedValue<Model: PersistentModel, Value: Decodable>(of object: Model) throws -> Value {
  try Value(from: ProjectionDecoder(ProjectedModel(object: object, model: ModelClass.of(Model.self))))
}
