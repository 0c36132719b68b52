internal import Foundation
internal import StoreRequests

/// Collects values of objects and of rows for one aggregate.
protocol ValueCollector<Model>: AnyObject {
  associatedtype Model: PersistentModel
  /// Adds the value of an object.
  func add(_ object: Model) throws
  /// Adds the value in the next column of a row.
  func add(_ row: inout _RowReader) throws
  /// Adds the result of a group in the next columns of a row.
  func merge(_ row: inout _RowReader) throws
}

/// A collector with the type of its result.
protocol Accumulator<Model, Result>: ValueCollector {
  associatedtype Result
  func result() throws -> Result
}

/// An accumulator whose state is one value.
final class Folding<Model: PersistentModel, Value, State, Result>: Accumulator {
  private var state: State
  private let read: (Model) -> Value
  private let readRow: (inout _RowReader) throws -> Value
  private let step: (inout State, Value) throws -> Void
  private let mergeStep: (inout State, inout _RowReader) throws -> Void
  private let finish: (State) throws -> Result

  init(
    _ state: State, read: @escaping (Model) -> Value, readRow: @escaping (inout _RowReader) throws -> Value,
    step: @escaping (inout State, Value) throws -> Void,
    merge: @escaping (inout State, inout _RowReader) throws -> Void, finish: @escaping (State) throws -> Result
  ) {
    self.state = state
    self.read = read
    self.readRow = readRow
    self.step = step
    mergeStep = merge
    self.finish = finish
  }

  func add(_ object: Model) throws { try step(&state, read(object)) }
  func add(_ row: inout _RowReader) throws { try step(&state, readRow(&row)) }
  func merge(_ row: inout _RowReader) throws { try mergeStep(&state, &row) }
  func result() throws -> Result { try finish(state) }
}

/// A row has no value of the wanted type; the getter of an object knows its default.
struct ValueNeedsObject: Error {}

/// The next column as a value of a type.
///
/// - Throws: ``ValueNeedsObject`` if the column has no such value.
func readColumn<Value>(_ type: Value.Type, _ row: inout _RowReader) throws -> Value? {
  guard let value = AttributeLayout.of(type).read(type, from: &row) else { throw ValueNeedsObject() }
  return value
}

/// A type of numbers that the store adds as Swift does.
struct StoredNumber<Number> {
  /// Reads a sum; `nil` if the type cannot hold it.
  let read: (inout _RowReader) -> Number?

  /// - Returns: `nil` for other types, such as `Decimal`, whose columns are floating-point numbers for SQL.
  init?(_ type: Number.Type) {
    func reader<Integer: FixedWidthInteger>(_ type: Integer.Type) -> (inout _RowReader) -> Number? {
      { row in row.integer().flatMap { Integer(exactly: $0) } as? Number }
    }
    switch type {
    case is UInt.Type, is UInt64.Type: return nil
    case let type as any FixedWidthInteger.Type: read = reader(type)
    case is Double.Type: read = { $0.double() as? Number }
    case is Float.Type: read = { row in row.double().map { Float($0) } as? Number }
    case is CGFloat.Type: read = { row in row.double().map { CGFloat($0) } as? Number }
    default: return nil
    }
  }
}

extension StoredNumber where Number: AdditiveArithmetic {
  /// Not-a-number; `nil` for types without it.
  static var undefined: Number? {
    func undefined<Float: FloatingPoint>(_ type: Float.Type) -> Number? { Float.nan as? Number }
    return (Number.self as? any FloatingPoint.Type).flatMap { undefined($0) }
  }

  /// The sum of two numbers; `nil` if their type cannot hold it.
  static func sum(_ left: Number, _ right: Number) -> Number? {
    func checked<Integer: FixedWidthInteger>(_ left: Integer) -> Number? {
      guard let right = right as? Integer else { return nil }
      let (sum, overflow) = left.addingReportingOverflow(right)
      return overflow ? nil : sum as? Number
    }
    if let left = left as? any FixedWidthInteger { return checked(left) }
    let sum = left + right
    // Foundation's sum of two decimal numbers beyond the type is not-a-number.
    if let decimal = sum as? Decimal, decimal.isNaN, let left = left as? Decimal, let right = right as? Decimal {
      return left.isNaN || right.isNaN ? sum : nil
    }
    return sum
  }
}
