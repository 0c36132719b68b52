package import Foundation
import PostgreSQL
package import StoreRequests

/// The rows of a statement's result: all of them in memory, or one part after another.
package class ResultRows: RowValues {
  /// The present part of the rows.
  private final var result: QueryResult
  private(set) final var values: ResultValues
  /// How many rows of the present part are passed to the caller.
  private final var rowCount: Int
  /// Gives the next parts; `nil` if the result is all.
  private final var cursor: RowCursor?
  /// The types of the result's columns; a buffer, because each value asks.
  private final let types: UnsafeMutableBufferPointer<DataType?>
  /// The result column of the first value.
  private final let first: Int
  /// The rows in an order of memory; `nil` for the order of the result.
  private final let order: [Int]?
  /// The number of the present row among the passed rows.
  private final var position = -1
  /// The present row of the result.
  private(set) final var row = -1

  init(_ result: QueryResult, first: Int, cursor: RowCursor? = nil, order: [Int]? = nil) {
    self.result = result
    self.cursor = cursor
    self.first = first
    self.order = order
    values = result.values
    rowCount = order?.count ?? result.rowCount
    types = .allocate(capacity: result.columnCount)
    _ = types.initialize(from: (0..<result.columnCount).lazy.map { result.type($0) })
  }

  deinit { types.deallocate() }

  package final func next() throws -> Bool {
    position += 1
    if position < rowCount {
      row = order?[position] ?? position
      return true
    }
    guard let cursor else { return false }
    do {
      if let part = try cursor.next() {
        result = part
        values = part.values
        rowCount = part.rowCount
        position = 0
        row = 0
        return true
      }
    } catch {
      close()
      throw error
    }
    close()
    return false
  }

  package final func close() {
    position = rowCount
    cursor = nil
  }

  private final func bytes(_ column: Int) -> (UnsafeRawBufferPointer, DataType)? {
    let place = first + column
    guard position >= 0, position < rowCount, place < types.count, let type = types[place],
      let bytes = values.bytes(row, place)
    else { return nil }
    return (bytes, type)
  }

  package final func isNull(_ column: Int) -> Bool { bytes(column) == nil }

  package final func integer(_ column: Int) -> Int64? {
    guard let (bytes, type) = bytes(column) else { return nil }
    switch type {
    case .integer64, .integer32, .integer16, .boolean: return bytes.bigEndianInteger
    case .single, .double: return bytes.floatingPoint.flatMap { $0.isNaN ? nil : Int64(truncating: $0) }
    case .moment: return bytes.bigEndianInteger.map { Int64(truncating: BinaryForm.seconds($0)) }
    case .numeric:
      guard let text = Numeric.text(bytes) else { return nil }
      return Int64(text) ?? Double(text).flatMap { $0.isNaN ? nil : Int64(truncating: $0) }
    default: return nil
    }
  }

  package final func double(_ column: Int) -> Double? {
    guard let (bytes, type) = bytes(column) else { return nil }
    switch type {
    case .single, .double: return bytes.floatingPoint
    case .moment: return bytes.bigEndianInteger.map { BinaryForm.seconds($0) }
    case .integer64, .integer32, .integer16, .boolean: return bytes.bigEndianInteger.map { Double($0) }
    case .numeric: return Numeric.text(bytes).flatMap { Double($0) }
    default: return nil
    }
  }

  package final func text(_ column: Int) -> String? {
    guard case (let bytes, .text)? = bytes(column) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  package final func blob(_ column: Int) -> Data? {
    guard let (bytes, type) = bytes(column) else { return nil }
    switch type {
    case .bytes, .uuid: return Data(bytes)
    case .json: return JSONForm.archive(bytes)
    case .jsonb: return JSONForm.text(bytes)
    default: return type.element.map { ArrayForm.archive(bytes, of: $0) }
    }
  }

  package final func decimal(_ column: Int) -> Decimal? {
    guard let (bytes, type) = bytes(column) else { return nil }
    guard type == .numeric else { return Decimal(value(column)) }
    return Numeric.text(bytes).flatMap(Numeric.decimal)
  }

  package final func isJSON(_ column: Int) -> Bool { bytes(column)?.1 == .json }

  package final func misfit(_ column: Int) -> String? {
    guard let (bytes, type) = bytes(column) else { return nil }
    switch type {
    case .json: return JSONForm.misfit(bytes)
    case .numeric: return Numeric.text(bytes)?.hasSuffix("Infinity") == true ? "the number is infinite" : nil
    default: return type.element.flatMap { ArrayForm.misfit(bytes, of: $0) }
    }
  }

  package final func value(_ column: Int) -> StoreValue {
    guard let (bytes, type) = bytes(column) else { return .null }
    switch type {
    case .integer64, .integer32, .integer16, .boolean: return bytes.bigEndianInteger.map { .integer($0) } ?? .null
    case .single, .double: return bytes.floatingPoint.map { .real($0) } ?? .null
    case .moment: return bytes.bigEndianInteger.map { .real(BinaryForm.seconds($0)) } ?? .null
    case .numeric:
      guard let text = Numeric.text(bytes) else { return .null }
      if text == "NaN" { return .text(text) }
      return Numeric.decimal(text).map { StoreValue(allDigitsOf: $0) } ?? .real(Double(text) ?? 0)
    case .text: return .text(String(decoding: bytes, as: UTF8.self))
    case .bytes, .uuid: return .blob(Data(bytes))
    case .json: return .blob(JSONForm.archive(bytes))
    case .jsonb: return .blob(JSONForm.text(bytes))
    case .booleans, .byteStrings, .integers16, .integers32, .texts, .integers64, .singles, .doubles, .moments,
      .numerics, .uuids:
      return type.element.map { .blob(ArrayForm.archive(bytes, of: $0)) } ?? .null
    }
  }
}

/// The rows of a fetch.
///
/// A row of a relationship's members begins with the owner's key. Key and version come next. A table of several entities then has the
/// number of the row's entity. The values are last.
package final class ServerRows: ResultRows, ObjectRows {
  package let soleEntity: Int32?
  private let hasOwner: Bool
  private let header: Int

  /// - Parameters:
  ///   - table: the table of the objects.
  ///   - soleEntity: the entity of all rows, if there is only one; a table without kinds needs no other answer.
  ///   - order: the rows of the result to pass, in their order; all as they come if `nil`.
  init(
    _ result: QueryResult, of table: TableLayout, soleEntity: Int32? = nil, hasOwner: Bool = false,
    cursor: RowCursor? = nil, order: [Int]? = nil
  ) {
    self.soleEntity = table.hasKinds ? soleEntity : table.root.number
    self.hasOwner = hasOwner
    header = hasOwner ? 1 : 0
    super.init(result, first: header + (table.hasKinds ? 3 : 2), cursor: cursor, order: order)
  }

  package var key: Int64 { values.integer(row, header) }
  package var version: Int64 { values.integer(row, header + 1) }
  package var entity: Int32 { soleEntity ?? Int32(truncatingIfNeeded: values.integer(row, header + 2)) }
  package var owner: Int64 { hasOwner ? values.integer(row, 0) : 0 }
}

/// The rows of a request for values.
package final class ServerValues: ResultRows, ValueRows {
  init(_ result: QueryResult, order: [Int]? = nil) { super.init(result, first: 0, order: order) }
}
