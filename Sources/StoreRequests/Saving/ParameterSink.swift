package import Foundation

/// The parameters of a statement, or the places of a row, that take the values of one object; counted from 1.
///
/// An engine implements it once: over a prepared statement, or over an array of values.
package protocol ParameterSink: AnyObject {
  func bindNull(at index: Int) throws
  func bind(_ value: Int64, at index: Int) throws
  func bind(_ value: Double, at index: Int) throws
  func bind(_ value: String, at index: Int) throws
  func bind(_ value: Data, at index: Int) throws
  func bind(_ value: UnsafeRawBufferPointer, at index: Int) throws
  /// Binds a decimal number; by default as Core Data's columns hold it, see ``StoreValue/init(_:)``.
  ///
  /// - Throws: ``UnstorableValue/tooLarge``
  func bind(_ value: Decimal, at index: Int) throws
}

extension ParameterSink {
  package func bind(_ value: Decimal, at index: Int) throws { try bind(RowBinder.stored(value), at: index) }

  /// Binds a value as it is stored.
  package func bind(_ value: StoreValue, at index: Int) throws {
    switch value {
    case .null: try bindNull(at: index)
    case .integer(let value): try bind(value, at: index)
    case .real(let value): try bind(value, at: index)
    case .text(let value): try bind(value, at: index)
    case .blob(let value): try bind(value, at: index)
    }
  }
}

/// Keeps the values that a source binds, in an array.
package final class ValueSink: ParameterSink {
  /// The values bound so far, in the order of their places.
  package private(set) var values: [StoreValue] = []
  private let keepsAllDigits: Bool

  /// - Parameter keepsAllDigits: whether decimal numbers are for an engine that keeps them; see ``StoreValue/init(allDigitsOf:)``.
  package init(keepsAllDigits: Bool = false) { self.keepsAllDigits = keepsAllDigits }

  package func bindNull(at index: Int) { put(.null, at: index) }
  package func bind(_ value: Int64, at index: Int) { put(.integer(value), at: index) }
  package func bind(_ value: Double, at index: Int) { put(.real(value), at: index) }
  package func bind(_ value: String, at index: Int) { put(.text(value), at: index) }
  package func bind(_ value: Data, at index: Int) { put(.blob(value), at: index) }
  package func bind(_ value: UnsafeRawBufferPointer, at index: Int) { put(.blob(Data(value)), at: index) }
  package func bind(_ value: Decimal, at index: Int) throws {
    put(keepsAllDigits ? StoreValue(allDigitsOf: value) : try RowBinder.stored(value), at: index)
  }

  private func put(_ value: StoreValue, at index: Int) {
    while values.count < index { values.append(.null) }
    values[index - 1] = value
  }
}
