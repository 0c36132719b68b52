package import Foundation

/// The values of the current row, by column from 0.
///
/// An engine implements ``value(_:)``; the others are for engines that can read a value without a copy of another kind.
package protocol RowValues: AnyObject {
  func value(_ column: Int) -> StoreValue
  func isNull(_ column: Int) -> Bool
  /// `nil` unless the value is a number; a fraction is cut off.
  func integer(_ column: Int) -> Int64?
  /// `nil` unless the value is a number.
  func double(_ column: Int) -> Double?
  func text(_ column: Int) -> String?
  func blob(_ column: Int) -> Data?
  /// See ``Foundation/Decimal/init(_:)``.
  func decimal(_ column: Int) -> Decimal?
  /// Whether the bytes of the value are made of JSON, in which a truth value is no number. In a keyed archive it is one.
  func isJSON(_ column: Int) -> Bool
  /// Why the value can be read as no type, as the rest of a sentence; `nil` if the engine knows no reason.
  ///
  /// Asked only after the value could not be read.
  func misfit(_ column: Int) -> String?
}

extension RowValues {
  package func isNull(_ column: Int) -> Bool { value(column) == .null }

  package func integer(_ column: Int) -> Int64? {
    switch value(column) {
    case .integer(let value): value
    case .real(let value): value.isNaN ? nil : Int64(truncating: value)
    case .null, .text, .blob: nil
    }
  }

  package func double(_ column: Int) -> Double? {
    switch value(column) {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .null, .text, .blob: nil
    }
  }

  package func text(_ column: Int) -> String? { if case .text(let text) = value(column) { text } else { nil } }

  package func blob(_ column: Int) -> Data? { if case .blob(let data) = value(column) { data } else { nil } }

  package func decimal(_ column: Int) -> Decimal? { Decimal(value(column)) }

  package func isJSON(_ column: Int) -> Bool { false }

  package func misfit(_ column: Int) -> String? { nil }
}

/// The rows of a fetch, one at a time. Belongs to one thread at a time.
///
/// The columns are those that the request selects, each with its width; see ``ColumnSelection``.
package protocol ObjectRows: RowValues {
  /// The entity of all rows, if they have only one.
  var soleEntity: Int32? { get }

  /// Goes to the next row; `false` at the end.
  ///
  /// - Throws: an error of the engine; the rows are closed then.
  func next() throws -> Bool

  var key: Int64 { get }
  var entity: Int32 { get }
  /// Grows with each change of the row.
  var version: Int64 { get }
  /// Of members of a relationship, the key of their owner.
  var owner: Int64 { get }

  /// Ends the reading before the last row.
  func close()
}

extension ObjectRows {
  package var object: ObjectKey { ObjectKey(entity: entity, key: key) }
}

/// The rows of a ``ValueRequest``, one at a time. Belongs to one thread at a time.
package protocol ValueRows: RowValues {
  /// Goes to the next row; `false` at the end.
  func next() throws -> Bool

  /// Ends the reading before the last row.
  func close()
}

/// The transactions of a history, one at a time. Belongs to one thread at a time.
package protocol HistoryRows: AnyObject {
  /// Goes to the next transaction; passes over changes that were not read. `nil` at the end.
  func next() throws -> HistoryTransaction?

  /// The next change of the transaction, in the order of recording; `nil` after the last one.
  func nextChange() throws -> HistoryChange?

  /// Ends the reading before the last transaction.
  func close()
}

extension Int64 {
  /// The nearest integer toward zero, within the bounds of the type; not-a-number traps.
  package init(truncating value: Double) {
    self = value >= 0x1p63 ? .max : value < -0x1p63 ? .min : Int64(value)
  }
}
