import Foundation
import PostgreSQL
import StoreRequests

/// A printed value with the kind of its values: PostgreSQL compares values of one type only.
struct SQLValue {
  var sql: String
  var kind: Kind
  /// Whether a text is in composed form already.
  var isComposed = false

  enum Kind: Hashable {
    case null, boolean, integer
    /// An integer of any size, which arithmetic results in.
    case wideInteger
    case real, decimal, moment
    /// A floating-point number of 32 bits.
    case single
    /// A text that compares as in Swift.
    case text
    /// An ASCII text that compares by bytes.
    case address
    case uuid, bytes
    /// Bytes in a column of the type `jsonb`: JSON text, or the value of a keyed archive.
    case json, archive
    /// An archive in a column of an array type, with the type of the elements.
    case array(of: DataType)
  }

  var isNumber: Bool {
    switch kind {
    case .boolean, .integer, .wideInteger, .real, .single, .decimal, .moment: true
    default: false
    }
  }

  /// Whether only the framework can compare the bytes that the column encodes.
  var isEncoded: Bool {
    switch kind {
    case .json, .archive, .array: true
    default: false
    }
  }

  /// The text in the form in which equal texts of Swift have equal bytes.
  var composed: String { isComposed ? sql : IndexTerm.composed(sql) }

  /// The value in a form whose order, and equality, is Swift's.
  var comparable: String { kind == .text ? composed : sql }

  /// The value as a floating-point number.
  var asReal: String {
    switch kind {
    case .real, .null: sql
    case .boolean: "(\(sql))::int::double precision"
    // Both epochs are exact numbers of microseconds.
    case .moment: "(extract(epoch FROM \(sql)) - 978307200)::double precision"
    default: "(\(sql))::double precision"
    }
  }

  /// The value as an operand of arithmetic: an integer of any size, a decimal number, or a floating-point number of 64 bits.
  var operand: SQLValue {
    switch kind {
    case .boolean: SQLValue(sql: "(\(sql))::int::numeric", kind: .wideInteger)
    case .integer: SQLValue(sql: "(\(sql))::numeric", kind: .wideInteger)
    case .single, .moment: SQLValue(sql: asReal, kind: .real)
    default: self
    }
  }
}

extension SQLValue.Kind {
  /// The type of parameters and of columns of the kind.
  var type: DataType {
    switch self {
    case .null, .text, .address: .text
    case .boolean: .boolean
    case .integer: .integer64
    case .wideInteger, .decimal: .numeric
    // The server compares numbers of 32 and of 64 bits with one another.
    case .real, .single: .double
    case .moment: .moment
    case .uuid: .uuid
    case .bytes: .bytes
    case .json, .archive: .jsonb
    case .array(let element): element.array ?? .bytes
    }
  }
}

extension StoreValue {
  /// Whether the constant has no value: `NULL`, and not-a-number, which equals nothing and has no order.
  var isMissing: Bool {
    switch self {
    case .null: true
    case .real(let number): number.isNaN
    case .integer, .text, .blob: false
    }
  }

  /// The kind of a constant that stands alone.
  var naturalKind: SQLValue.Kind {
    switch self {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .bytes
    }
  }

  /// The binary form of a constant for a comparison with values of a kind; `nil` if no value of the kind equals it.
  func form(of kind: SQLValue.Kind) -> [UInt8]? {
    var bytes: [UInt8] = []
    switch (kind, self) {
    case (.boolean, .integer(let number)) where number == 0 || number == 1: bytes = [UInt8(number)]
    case (.integer, .integer(let number)): BinaryForm.append(number, to: &bytes)
    case (.real, .integer(let number)), (.single, .integer(let number)): BinaryForm.append(Double(number), to: &bytes)
    case (.real, .real(let number)) where !number.isNaN, (.single, .real(let number)) where !number.isNaN:
      BinaryForm.append(number, to: &bytes)
    case (.wideInteger, .integer(let number)), (.decimal, .integer(let number)):
      Numeric.append(Decimal(number), to: &bytes)
    case (.decimal, .real(let number)) where number.isInfinite: Numeric.append(infinity: number.sign, to: &bytes)
    case (.decimal, .real), (.decimal, .text):
      guard let number = allDigits else { return nil }
      Numeric.append(number, to: &bytes)
    case (.moment, .integer(let number)):
      guard let moment = BinaryForm.microseconds(Double(number)) else { return nil }
      BinaryForm.append(moment, to: &bytes)
    case (.moment, .real(let number)):
      guard let moment = BinaryForm.microseconds(number) else { return nil }
      BinaryForm.append(moment, to: &bytes)
    case (.text, .text(let text)), (.address, .text(let text)):
      guard !text.utf8.contains(0) else { return nil }
      bytes = Array(text.utf8)
    case (.uuid, .blob(let data)):
      guard data.count == 16 else { return nil }
      bytes = Array(data)
    case (.bytes, .blob(let data)): bytes = Array(data)
    case (.array(let element), .blob(let archive)):
      let isArray = (try? archive.withUnsafeBytes { try ArrayForm.append($0, of: element, to: &bytes) }) != nil
      if !isArray { return nil }
    default: return nil
    }
    return bytes
  }
}
