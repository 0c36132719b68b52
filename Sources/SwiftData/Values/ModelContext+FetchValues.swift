internal import Foundation
internal import StoreRequests

extension ModelContext {
  /// Fetches values of the objects that a descriptor selects, in its order, without loading the objects.
  ///
  ///     for (title, author) in try context.fetchValues(FetchDescriptor<Book>(), \.title, \.author?.name) { … }
  ///
  /// Cost: one query for the columns of the properties. Unsaved objects are added in memory. In a sorted fetch, each of them is
  /// compared with a few rows, whose objects are loaded: 10 more queries for all comparisons with 1,000 rows. All objects are loaded
  /// - if the store cannot evaluate the whole predicate or order,
  /// - if it has a property in several columns, or in a form of its own,
  /// - if several stores have objects to sort or to limit,
  /// - if a sorted fetch meets very many unsaved objects.
  ///
  /// If the descriptor's `includePendingChanges` is false, all values are the saved ones, except that a property whose value is a model
  /// object, or an array of them, gives the context's objects.
  ///
  /// Not in Apple's framework.
  /// - Parameters:
  ///   - descriptor: selects and orders the objects.
  ///   - properties: attributes, also of objects that to-one relationships lead to, or any other properties.
  /// - Throws: ``SwiftDataError``: `unsupportedPredicate`, `unsupportedSortDescriptor`, `unknownSchema`, `storeFailure`.
  public func fetchValues<T: PersistentModel, each Value>(
    _ descriptor: FetchDescriptor<T>, _ properties: repeat KeyPath<T, each Value>
  ) throws -> [(repeat each Value)] {
    try core.exclusiveUse.during("fetching values") {
      var paths: [AnyKeyPath] = []
      for property in repeat each properties { paths.append(property) }
      return try core.values(of: descriptor, paths) { object in
        (repeat object[keyPath: each properties])
      } fromRow: { row in
        (repeat try readValue((each Value).self, &row))
      }
    }
  }

  /// Fetches the values of one property of the objects that a descriptor selects, in its order, without loading the objects.
  ///
  ///     let titles = Set(try context.fetchValues(FetchDescriptor<Book>(), \.title))
  ///
  /// Cost and errors are those of several properties. Not in Apple's framework.
  /// - Parameters:
  ///   - descriptor: selects and orders the objects.
  ///   - property: an attribute, also of an object that to-one relationships lead to, or any other property.
  public func fetchValues<T: PersistentModel, Value>(
    _ descriptor: FetchDescriptor<T>, _ property: KeyPath<T, Value>
  ) throws -> [Value] {
    try core.exclusiveUse.during("fetching values") {
      try core.values(of: descriptor, [property]) {
        $0[keyPath: property]
      } fromRow: {
        try readValue(Value.self, &$0)
      }
    }
  }
}

/// The next column as a value of a type.
///
/// - Throws: ``ValueNeedsObject`` if the column has no such value.
private func readValue<Value>(_ type: Value.Type, _ row: inout _RowReader) throws -> Value {
  guard let value = try readColumn(type, &row) else { throw ValueNeedsObject() }
  return value
}
