public import CPostgreSQL

/// Owns the rows that a statement returned, all in memory and in binary form.
package final class QueryResult {
  private let pointer: OpaquePointer
  package let rowCount: Int
  package let columnCount: Int

  /// The number of rows that the statement has inserted, updated, deleted or returned.
  package var affectedCount: Int { PQcmdTuples(pointer).flatMap { Int(String(cString: $0)) } ?? 0 }

  /// The values without the ownership, valid as long as the result. To read many of them counts no references.
  package var values: ResultValues { ResultValues(pointer: pointer) }

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    rowCount = Int(PQntuples(pointer))
    columnCount = Int(PQnfields(pointer))
  }

  deinit { PQclear(pointer) }

  package func name(_ column: Int) -> String { PQfname(pointer, Int32(column)).map { String(cString: $0) } ?? "" }

  /// The object identifier of a column's type.
  package func typeIdentifier(_ column: Int) -> UInt32 { PQftype(pointer, Int32(column)) }

  /// The type of a column; `nil` for a type that no column of ours has.
  package func type(_ column: Int) -> DataType? { DataType(rawValue: typeIdentifier(column)) }

  package func isNull(_ row: Int, _ column: Int) -> Bool { values.isNull(row, column) }

  /// The bytes of a value, valid as long as the result; `nil` for `NULL`.
  package func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? { values.bytes(row, column) }

  /// An integer of any width; 0 for `NULL`.
  package func integer(_ row: Int, _ column: Int) -> Int64 { values.integer(row, column) }

  package func text(_ row: Int, _ column: Int) -> String? {
    bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// The values of a ``QueryResult``, which somebody else keeps. Public only because the compiler inlines no `package` function into
/// another module.
public struct ResultValues {
  @usableFromInline let pointer: OpaquePointer

  /// Whether a value is `NULL`.
  @inlinable
  public func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(pointer, Int32(row), Int32(column)) != 0 }

  /// The bytes of a value; `nil` for `NULL`.
  @inlinable
  public func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    let count = Int(PQgetlength(pointer, Int32(row), Int32(column)))
    // Only a value without bytes can be `NULL`.
    if count == 0, isNull(row, column) { return nil }
    return PQgetvalue(pointer, Int32(row), Int32(column)).map { UnsafeRawBufferPointer(start: $0, count: count) }
  }

  /// An integer of any width; 0 for `NULL`.
  @inlinable
  public func integer(_ row: Int, _ column: Int) -> Int64 { bytes(row, column)?.bigEndianInteger ?? 0 }
}
