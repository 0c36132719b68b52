package import Foundation

/// Binds one row's values to parameters, in order and without boxing; the hot path of a save.
///
/// Each call takes one parameter; `nil` binds `NULL`. It throws the error of the sink, and ``UnstorableValue`` for a value
/// that no column can hold. The binder stays at the parameter then.
package struct RowBinder: ~Copyable {
  @usableFromInline let sink: any ParameterSink
  /// The parameter that the next call binds, from 1.
  @usableFromInline package private(set) var index: Int

  @inlinable
  package init(_ sink: any ParameterSink, startingAt index: Int) {
    self.sink = sink
    self.index = index
  }

  @inlinable
  package mutating func bindNull() throws {
    try sink.bindNull(at: index)
    index += 1
  }

  @inlinable
  package mutating func bind(_ value: Int64?) throws {
    if let value { try sink.bind(value, at: index) } else { try sink.bindNull(at: index) }
    index += 1
  }

  @inlinable
  package mutating func bind(_ value: Bool?) throws {
    if let value { try sink.bind(value ? 1 : 0 as Int64, at: index) } else { try sink.bindNull(at: index) }
    index += 1
  }

  /// Binds a number, infinite ones included.
  ///
  /// - Throws: ``UnstorableValue/notANumber``
  @inlinable
  package mutating func bind(_ value: Double?) throws {
    if let value {
      if value.isNaN { throw UnstorableValue.notANumber }
      try sink.bind(value, at: index)
    } else {
      try sink.bindNull(at: index)
    }
    index += 1
  }

  @inlinable
  package mutating func bind(_ value: String?) throws {
    if let value { try sink.bind(value, at: index) } else { try sink.bindNull(at: index) }
    index += 1
  }

  @inlinable
  package mutating func bind(_ value: Data?) throws {
    if let value { try sink.bind(value, at: index) } else { try sink.bindNull(at: index) }
    index += 1
  }

  /// Binds the 16 bytes of a UUID in RFC 4122 order (CD-5).
  @inlinable
  package mutating func bind(_ value: UUID?) throws {
    if let value {
      try withUnsafeBytes(of: value.uuid) { try sink.bind($0, at: index) }
    } else {
      try sink.bindNull(at: index)
    }
    index += 1
  }

  /// Binds a moment as seconds since 2001-01-01T00:00:00Z (CD-5).
  @inlinable
  package mutating func bind(_ value: Date?) throws {
    try bind(value?.timeIntervalSinceReferenceDate)
  }

  /// Binds a decimal number as its column holds it.
  ///
  /// - Throws: ``UnstorableValue/tooLarge``
  package mutating func bind(_ value: Decimal?) throws {
    if let value { try sink.bind(value, at: index) } else { try sink.bindNull(at: index) }
    index += 1
  }

  /// A decimal number as a column of Core Data's layout holds it; see ``StoreValue/init(_:)``.
  ///
  /// - Throws: ``UnstorableValue/tooLarge``
  package static func stored(_ value: Decimal) throws -> StoreValue {
    if !value.isNaN, value.magnitude > decimalBound { throw UnstorableValue.tooLarge }
    return StoreValue(value)
  }

  private static let decimalBound = Decimal(sign: .plus, exponent: 127, significand: 1)

  /// Binds the destination of a to-one relationship: two parameters, its key and its entity's number (CD-3.1).
  @inlinable
  package mutating func bind(_ object: ObjectKey?) throws {
    try bind(object?.key)
    try bind((object?.entity).map(Int64.init))
  }

  /// Binds a value unchanged; for tools and tests.
  package mutating func bind(_ value: StoreValue) throws {
    switch value {
    case .null: try bindNull()
    case .integer(let value): try bind(value)
    case .real(let value): try bind(value)
    case .text(let value): try bind(value)
    case .blob(let value): try bind(value)
    }
  }
}
