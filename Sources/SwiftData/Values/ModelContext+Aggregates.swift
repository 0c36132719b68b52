public import Foundation
internal import StoreRequests

extension ModelContext {
  /// Computes values of all objects of a class that a predicate selects, unsaved changes included.
  ///
  ///     let (count, pages, longest) = try context.aggregate(Book.self, .count, .average(\.pages), .maximum(\.pages))
  ///
  /// Cost: one query, which loads no objects. Unsaved objects are added in memory. The objects are loaded if the store cannot
  /// evaluate the whole predicate, or has a property in several columns or in a form of its own. The store reads single
  /// values, without objects, for sums, averages and extrema of `Decimal`; and each different value once, for their number while
  /// the context has unsaved changes of the class. Not in Apple's framework.
  /// - Throws: ``SwiftDataError``: `unsupportedPredicate`, `unknownSchema`; `storeFailure`, also for a sum beyond its type.
  public func aggregate<T: PersistentModel, each Result>(
    _ model: T.Type, where predicate: Predicate<T>? = nil, _ aggregates: repeat ModelAggregate<T, each Result>
  ) throws -> (repeat each Result) {
    try core.exclusiveUse.during("computing values") {
      var accumulators = (repeat (each aggregates).makeAccumulator())
      var properties: [PartialKeyPath<T>?] = []
      for aggregate in repeat each aggregates { properties.append(aggregate.property) }
      let shape = AggregateShape(repeat each aggregates)
      try core.run(
        ValueQuery(
          descriptor: FetchDescriptor<T>(predicate: predicate), key: nil, properties: properties,
          inGroups: shape.inGroups, isMergeable: shape.isMergeable,
          add: { object in for accumulator in all(repeat each accumulators) { try accumulator.add(object) } },
          addRow: { row, form in try shape.add(&row, form, to: all(repeat each accumulators)) },
          restart: { accumulators = (repeat (each aggregates).makeAccumulator()) }))
      return (repeat try (each accumulators).result())
    }
  }

  /// Computes values of the objects of a class for each value of a property, unsaved changes included.
  ///
  ///     let books = try context.aggregate(Book.self, by: \.author?.name, .count, .sum(\.pages))
  ///     for (name, (count, pages)) in books { … }
  ///
  /// Cost: as ``aggregate(_:where:_:)``, one query with `GROUP BY`.
  /// - Parameters:
  ///   - model: the class of the objects.
  ///   - predicate: selects the objects; `nil` selects all.
  ///   - key: the property whose values make the groups; any value that is `Hashable`.
  ///   - aggregates: the values to compute.
  /// - Returns: the values of each group that has an object.
  /// - Throws: as ``aggregate(_:where:_:)``.
  public func aggregate<T: PersistentModel, Key: Hashable, each Result>(
    _ model: T.Type, where predicate: Predicate<T>? = nil, by key: KeyPath<T, Key>,
    _ aggregates: repeat ModelAggregate<T, each Result>
  ) throws -> [Key: (repeat each Result)] {
    try core.exclusiveUse.during("computing values") {
      var groups: [Key: (repeat any Accumulator<T, each Result>)] = [:]
      func group(_ key: Key) -> [any ValueCollector<T>] {
        let accumulators = groups[key] ?? (repeat (each aggregates).makeAccumulator())
        groups[key] = accumulators
        return all(repeat each accumulators)
      }
      func read(_ row: inout _RowReader) throws -> Key {
        guard let key = try readColumn(Key.self, &row) else { throw ValueNeedsObject() }
        return key
      }
      let shape = AggregateShape(repeat each aggregates)
      var properties: [PartialKeyPath<T>?] = []
      for aggregate in repeat each aggregates { properties.append(aggregate.property) }
      try core.run(
        ValueQuery(
          descriptor: FetchDescriptor<T>(predicate: predicate), key: key, properties: properties,
          inGroups: shape.inGroups, isMergeable: shape.isMergeable,
          add: { object in for accumulator in group(object[keyPath: key]) { try accumulator.add(object) } },
          addRow: { row, form in
            let accumulators = try group(read(&row))
            try shape.add(&row, form, to: accumulators)
          },
          restart: { groups = [:] }))
      return try groups.mapValues { accumulators in (repeat try (each accumulators).result()) }
    }
  }

  /// The sum of a property of all objects that a predicate selects; see ``aggregate(_:where:_:)``.
  public func sum<T: PersistentModel, Value: Numeric>(
    of property: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Value { try aggregate(T.self, where: predicate, .sum(property)) }

  /// The sum of the values of a property that are not `nil`; see ``aggregate(_:where:_:)``.
  public func sum<T: PersistentModel, Value: Numeric>(
    of property: KeyPath<T, Value?>, where predicate: Predicate<T>? = nil
  ) throws -> Value { try aggregate(T.self, where: predicate, .sum(property)) }

  /// The average of a property of all objects that a predicate selects; see ``aggregate(_:where:_:)``.
  public func average<T: PersistentModel, Value: BinaryInteger>(
    of property: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Double? { try aggregate(T.self, where: predicate, .average(property)) }

  /// The average of the values of a property that are not `nil`; see ``aggregate(_:where:_:)``.
  public func average<T: PersistentModel, Value: BinaryInteger>(
    of property: KeyPath<T, Value?>, where predicate: Predicate<T>? = nil
  ) throws -> Double? { try aggregate(T.self, where: predicate, .average(property)) }

  /// The average of a property of all objects that a predicate selects; see ``aggregate(_:where:_:)``.
  public func average<T: PersistentModel, Value: BinaryFloatingPoint>(
    of property: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Double? { try aggregate(T.self, where: predicate, .average(property)) }

  /// The average of the values of a property that are not `nil`; see ``aggregate(_:where:_:)``.
  public func average<T: PersistentModel, Value: BinaryFloatingPoint>(
    of property: KeyPath<T, Value?>, where predicate: Predicate<T>? = nil
  ) throws -> Double? { try aggregate(T.self, where: predicate, .average(property)) }

  /// The average of a decimal property of all objects that a predicate selects; see ``aggregate(_:where:_:)``.
  public func average<T: PersistentModel>(
    of property: KeyPath<T, Decimal>, where predicate: Predicate<T>? = nil
  ) throws -> Decimal? { try aggregate(T.self, where: predicate, .average(property)) }

  /// The average of the values of a decimal property that are not `nil`; see ``aggregate(_:where:_:)``.
  public func average<T: PersistentModel>(
    of property: KeyPath<T, Decimal?>, where predicate: Predicate<T>? = nil
  ) throws -> Decimal? { try aggregate(T.self, where: predicate, .average(property)) }

  /// The least value of a property of all objects that a predicate selects; see ``aggregate(_:where:_:)``.
  public func minimum<T: PersistentModel, Value: Comparable>(
    of property: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Value? { try aggregate(T.self, where: predicate, .minimum(property)) }

  /// The least value of a property that is not `nil`; see ``aggregate(_:where:_:)``.
  public func minimum<T: PersistentModel, Value: Comparable>(
    of property: KeyPath<T, Value?>, where predicate: Predicate<T>? = nil
  ) throws -> Value? { try aggregate(T.self, where: predicate, .minimum(property)) }

  /// The greatest value of a property of all objects that a predicate selects; see ``aggregate(_:where:_:)``.
  public func maximum<T: PersistentModel, Value: Comparable>(
    of property: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Value? { try aggregate(T.self, where: predicate, .maximum(property)) }

  /// The greatest value of a property that is not `nil`; see ``aggregate(_:where:_:)``.
  public func maximum<T: PersistentModel, Value: Comparable>(
    of property: KeyPath<T, Value?>, where predicate: Predicate<T>? = nil
  ) throws -> Value? { try aggregate(T.self, where: predicate, .maximum(property)) }

  /// The number of different values of a property, without `nil`; see ``aggregate(_:where:_:)``.
  public func count<T: PersistentModel, Value: Hashable>(
    distinct property: KeyPath<T, Value>, where predicate: Predicate<T>? = nil
  ) throws -> Int { try aggregate(T.self, where: predicate, .count(distinct: property)) }
}

/// How a store computes several aggregates.
private struct AggregateShape {
  private(set) var inGroups: [((FetchExpression) -> [FetchExpression])?] = []
  private(set) var isMergeable: [Bool] = []

  init<T: PersistentModel, each Result>(_ aggregates: repeat ModelAggregate<T, each Result>) {
    for aggregate in repeat each aggregates {
      inGroups.append(aggregate.inGroups)
      isMergeable.append(aggregate.isMergeable)
    }
  }

  /// Adds the columns of a row to the aggregates' accumulators.
  func add<T: PersistentModel>(
    _ row: inout _RowReader, _ form: ValueRowForm, to accumulators: [any ValueCollector<T>]
  ) throws {
    for (accumulator, isMergeable) in zip(accumulators, isMergeable) {
      switch form {
      case .groupOfValues where isMergeable, .group: try accumulator.merge(&row)
      case .groupOfValues, .object: try accumulator.add(&row)
      }
    }
  }
}

/// The accumulators of a pack as an array.
private func all<T: PersistentModel, each Result>(
  _ accumulators: repeat any Accumulator<T, each Result>
) -> [any ValueCollector<T>] {
  var result: [any ValueCollector<T>] = []
  for accumulator in repeat each accumulators { result.append(accumulator) }
  return result
}
