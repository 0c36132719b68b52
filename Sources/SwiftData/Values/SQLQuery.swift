internal import Foundation
internal import StoreRequests

/// A `SELECT` statement over the tables of a store. Interpolated values are bound, never written into the text.
///
///     let query: SQLQuery<Book> = "SELECT \(\.title), count(*) FROM \(Book.self) WHERE \(\.pages) > \(100) GROUP BY 1"
///
/// An interpolated class becomes its table, and an interpolated key path its column. Not in Apple's framework.
public struct SQLQuery<Model: PersistentModel>: ExpressibleByStringInterpolation {
  var parts: [Part]

  enum Part {
    case text(String)
    case table(any PersistentModel.Type)
    case column(AnyKeyPath, of: any PersistentModel.Type)
    /// A value, and the raw value of the attribute type of its columns. A decimal number has all of its digits.
    case value(StoreValue, UInt32)
  }

  /// A statement without interpolations.
  public init(stringLiteral value: String) { parts = [.text(value)] }

  /// A statement with interpolations.
  public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  /// The parts of a statement.
  public struct StringInterpolation: StringInterpolationProtocol {
    var parts: [Part] = []

    /// An empty statement.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds SQL.
    public mutating func appendLiteral(_ literal: String) { parts.append(.text(literal)) }

    /// Adds the table of a class, for a `FROM` clause.
    public mutating func appendInterpolation<Other: PersistentModel>(_ type: Other.Type) { parts.append(.table(type)) }

    /// Adds the column of a property of the query's class.
    public mutating func appendInterpolation<Value>(_ property: KeyPath<Model, Value>) {
      parts.append(.column(property, of: Model.self))
    }

    /// Adds the column of a property of another class.
    @_disfavoredOverload
    public mutating func appendInterpolation<Other: PersistentModel, Value>(_ property: KeyPath<Other, Value>) {
      parts.append(.column(property, of: Other.self))
    }

    /// Adds a placeholder with a value, in the form in which a column of its type holds it.
    public mutating func appendInterpolation<Value: _ColumnValue>(_ value: Value?) {
      let constant = (value as? Decimal).map { StoreValue(allDigitsOf: $0) } ?? value?._columnConstant.value
      parts.append(.value(constant ?? .null, Value._attributeType))
    }

    /// Adds a placeholder with a raw value.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value?)
    where Value.RawValue: _ColumnValue {
      parts.append(.value(value?.rawValue._columnConstant.value ?? .null, Value.RawValue._attributeType))
    }
  }
}

/// A row of an SQL statement's result.
public struct SQLRow: Sendable {
  /// The names of the result's columns.
  public let columns: [String]
  let values: [StoreValue]
  let decimalColumns: Set<Int>

  /// The number of columns.
  public var count: Int { columns.count }

  /// The value of a column; `nil` for `NULL`, for a value of another type, and for a column that the result lacks.
  ///
  /// - Parameters:
  ///   - column: counted from 0.
  ///   - type: a type that one column holds, such as `Int`, `Double`, `String`, `Bool`, `Date`, `UUID` or `Data`.
  public subscript<Value: _ColumnValue>(_ column: Int, as type: Value.Type = Value.self) -> Value? {
    guard values.indices.contains(column), values[column] != .null else { return nil }
    var reader = SingleValue(values[column], isDecimal: decimalColumns.contains(column)).reader
    return Value._read(from: &reader)
  }

  /// The value of the first column with a name; see ``subscript(_:as:)-(Int,_)``.
  public subscript<Value: _ColumnValue>(_ column: String, as type: Value.Type = Value.self) -> Value? {
    columns.firstIndex(of: column).flatMap { self[$0, as: type] }
  }
}
