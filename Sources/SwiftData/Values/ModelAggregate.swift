public import Foundation
internal import StoreRequests

/// A number or a value that is computed of many objects: a count, a sum, an average, a minimum or a maximum.
///
/// The value does not depend on the order of the objects, except for the rounding of sums of floating-point numbers. `nil` values
/// do not count. Not in Apple's framework. See ``ModelContext/aggregate(_:where:_:)``.
public struct ModelAggregate<Model: PersistentModel, Result> {
  /// The property whose values are read; `nil` for the number of objects.
  let property: PartialKeyPath<Model>?
  /// The expressions over a group that the store computes of a column; `nil` if the store would compute otherwise than Swift.
  let inGroups: ((FetchExpression) -> [FetchExpression])?
  /// Whether the results of two groups give the result of both together. If not, the different values do.
  let isMergeable: Bool
  let makeAccumulator: () -> any Accumulator<Model, Result>
}

extension ModelAggregate where Result == Int {
  /// The number of objects.
  public static var count: ModelAggregate {
    ModelAggregate(property: nil, inGroups: { _ in [.groupCount] }, isMergeable: true) {
      Folding<Model, Void, Int, Int>(
        0, read: { _ in }, readRow: { _ in }, step: { state, _ in state += 1 },
        merge: { state, row in state += Int(row.integer() ?? 0) }, finish: { $0 })
    }
  }

  /// The number of different values of a property.
  public static func count<Value: Hashable>(distinct property: KeyPath<Model, Value>) -> ModelAggregate {
    let isColumn = !isDecimal(Value.self)
    return ModelAggregate(
      property: property,
      inGroups: isColumn ? { [.groupAggregate(.count, of: $0, isDistinct: true)] } : nil, isMergeable: false
    ) {
      Folding<Model, Value?, (values: Set<Value>, count: Int), Int>(
        ([], 0), read: { $0[keyPath: property] }, readRow: { try readColumn(Value.self, &$0) },
        step: { state, value in if let value, unwrap(value) != nil { state.values.insert(value) } },
        merge: { state, row in state.count += Int(row.integer() ?? 0) }, finish: { $0.values.count + $0.count })
    }
  }
}

extension ModelAggregate where Result: Numeric {
  /// The sum of a property; 0 without objects.
  ///
  /// The sum is exact for integers; of `Decimal` it has 38 digits. A sum beyond the type makes the call throw.
  public static func sum(_ property: KeyPath<Model, Result>) -> ModelAggregate {
    sum(property, read: { $0[keyPath: property] }, readRow: { try readColumn(Result.self, &$0) })
  }

  /// The sum of the values of a property that are not `nil`; 0 without values.
  public static func sum(_ property: KeyPath<Model, Result?>) -> ModelAggregate {
    sum(property, read: { $0[keyPath: property] }, readRow: { try readColumn(Result?.self, &$0) ?? nil })
  }

  private static func sum(
    _ property: PartialKeyPath<Model>, read: @escaping (Model) -> Result?,
    readRow: @escaping (inout _RowReader) throws -> Result?
  ) -> ModelAggregate {
    let number = StoredNumber(Result.self)
    let name = sketch(property)
    func sum(_ left: Result, _ right: Result) throws -> Result {
      guard let sum = StoredNumber.sum(left, right) else { throw outOfType("\(Model.self).\(name)", Result.self) }
      return sum
    }
    // A sum that is not a number, such as that of both infinities, is `NULL`, as one without values.
    let mayBeUndefined = Result.self is any FloatingPoint.Type
    let aggregates: [FetchExpression.Aggregate] = mayBeUndefined ? [.sum, .average, .count] : [.sum]
    return ModelAggregate(
      property: property,
      inGroups: number.map { _ in { column in aggregates.map { .groupAggregate($0, of: column, isDistinct: false) } } },
      isMergeable: true
    ) {
      Folding<Model, Result?, Result, Result>(
        .zero, read: read, readRow: readRow, step: { state, value in if let value { state = try sum(state, value) } },
        merge: { state, row in
          let value = number?.read(&row)
          if mayBeUndefined, row.double() == nil, let count = row.integer(), count > 0 {
            return state = StoredNumber<Result>.undefined ?? state
          }
          guard let value else { throw outOfType("\(Model.self).\(name)", Result.self) }
          state = try sum(state, value)
        }, finish: { $0 })
    }
  }
}

extension ModelAggregate where Result == Double? {
  /// The average of a property; `nil` without objects.
  public static func average<Value: BinaryInteger>(_ property: KeyPath<Model, Value>) -> ModelAggregate {
    average(property, { Double($0[keyPath: property]) }) { try readColumn(Value.self, &$0).map { Double($0) } }
  }

  /// The average of the values of a property that are not `nil`; `nil` without values.
  public static func average<Value: BinaryInteger>(_ property: KeyPath<Model, Value?>) -> ModelAggregate {
    average(property, { $0[keyPath: property].map { Double($0) } }) {
      try readColumn(Value?.self, &$0)?.map { Double($0) }
    }
  }

  /// The average of a property; `nil` without objects.
  public static func average<Value: BinaryFloatingPoint>(_ property: KeyPath<Model, Value>) -> ModelAggregate {
    average(property, { Double($0[keyPath: property]) }) { try readColumn(Value.self, &$0).map { Double($0) } }
  }

  /// The average of the values of a property that are not `nil`; `nil` without values.
  public static func average<Value: BinaryFloatingPoint>(_ property: KeyPath<Model, Value?>) -> ModelAggregate {
    average(property, { $0[keyPath: property].map { Double($0) } }) {
      try readColumn(Value?.self, &$0)?.map { Double($0) }
    }
  }

  private static func average(
    _ property: PartialKeyPath<Model>, _ read: @escaping (Model) -> Double?,
    _ readRow: @escaping (inout _RowReader) throws -> Double?
  ) -> ModelAggregate {
    ModelAggregate(
      property: property,
      inGroups: {
        [.groupAggregate(.average, of: $0, isDistinct: false), .groupAggregate(.count, of: $0, isDistinct: false)]
      }, isMergeable: true
    ) {
      Folding<Model, Double?, (average: Double, count: Double), Double?>(
        (0, 0), read: read, readRow: readRow,
        step: { state, value in
          guard let value else { return }
          state.count += 1
          let isFinite = state.average.isFinite && value.isFinite
          state.average += isFinite ? (value - state.average) / state.count : value
        },
        merge: { state, row in
          // An average that is not a number is `NULL`, as one without values.
          let average = row.double() ?? .nan
          guard let count = row.double(), count > 0 else { return }
          let sum = state.count + count
          state.average = state.count == 0 ? average : state.average * (state.count / sum) + average * (count / sum)
          state.count = sum
        }, finish: { $0.count == 0 ? nil : $0.average })
    }
  }
}

extension ModelAggregate where Result == Decimal? {
  /// The average of a decimal property; `nil` without objects.
  public static func average(_ property: KeyPath<Model, Decimal>) -> ModelAggregate {
    average(property, { $0[keyPath: property] }, { try readColumn(Decimal.self, &$0) })
  }

  /// The average of the values of a decimal property that are not `nil`; `nil` without values.
  public static func average(_ property: KeyPath<Model, Decimal?>) -> ModelAggregate {
    average(property, { $0[keyPath: property] }, { try readColumn(Decimal?.self, &$0) ?? nil })
  }

  private static func average(
    _ property: PartialKeyPath<Model>, _ read: @escaping (Model) -> Decimal?,
    _ readRow: @escaping (inout _RowReader) throws -> Decimal?
  ) -> ModelAggregate {
    ModelAggregate(property: property, inGroups: nil, isMergeable: true) {
      Folding<Model, Decimal?, (sum: Decimal, count: Int), Decimal?>(
        (0, 0), read: read, readRow: readRow,
        step: { state, value in
          guard let value else { return }
          state.sum += value
          state.count += 1
        }, merge: { _, _ in }, finish: { $0.count == 0 ? nil : $0.sum / Decimal($0.count) })
    }
  }
}

extension ModelAggregate {
  /// The least value of a property; `nil` without objects.
  public static func minimum<Value: Comparable>(_ property: KeyPath<Model, Value>) -> ModelAggregate
  where Result == Value? {
    extremum(property, .minimum, { $0[keyPath: property] }, { try readColumn(Value.self, &$0) }, isBetter: <)
  }

  /// The least value of a property that is not `nil`; `nil` without values.
  public static func minimum<Value: Comparable>(_ property: KeyPath<Model, Value?>) -> ModelAggregate
  where Result == Value? {
    extremum(property, .minimum, { $0[keyPath: property] }, { try readColumn(Value?.self, &$0) ?? nil }, isBetter: <)
  }

  /// The greatest value of a property; `nil` without objects.
  public static func maximum<Value: Comparable>(_ property: KeyPath<Model, Value>) -> ModelAggregate
  where Result == Value? {
    extremum(property, .maximum, { $0[keyPath: property] }, { try readColumn(Value.self, &$0) }, isBetter: >)
  }

  /// The greatest value of a property that is not `nil`; `nil` without values.
  public static func maximum<Value: Comparable>(_ property: KeyPath<Model, Value?>) -> ModelAggregate
  where Result == Value? {
    extremum(property, .maximum, { $0[keyPath: property] }, { try readColumn(Value?.self, &$0) ?? nil }, isBetter: >)
  }

  private static func extremum<Value: Comparable>(
    _ property: PartialKeyPath<Model>, _ aggregate: FetchExpression.Aggregate, _ read: @escaping (Model) -> Value?,
    _ readRow: @escaping (inout _RowReader) throws -> Value?, isBetter: @escaping (Value, Value) -> Bool
  ) -> ModelAggregate where Result == Value? {
    func better(_ state: inout Value?, _ value: Value?) {
      if let value, state.map({ isBetter(value, $0) }) ?? true { state = value }
    }
    let isInOrder = isOrderedAsStored(Value.self) && !isDecimal(Value.self)
    return ModelAggregate(
      property: property, inGroups: isInOrder ? { [.groupAggregate(aggregate, of: $0, isDistinct: false)] } : nil,
      isMergeable: true
    ) {
      Folding<Model, Value?, Value?, Value?>(
        nil, read: read, readRow: readRow, step: { better(&$0, $1) },
        merge: { state, row in better(&state, AttributeLayout.of(Value?.self).read(Value?.self, from: &row) ?? nil) },
        finish: { $0 })
    }
  }
}

private func outOfType(_ property: String, _ type: Any.Type) -> SwiftDataError {
  SwiftDataError(.storeFailure, "The sum of \(property) is beyond the numbers that \(type) can hold.")
}

private func isDecimal(_ type: Any.Type) -> Bool { type == Decimal.self || type == Decimal?.self }
