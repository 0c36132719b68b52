package import Foundation

/// A value for a placeholder of a statement, in binary form.
package struct Parameter: Sendable, Hashable {
  /// The object identifier of the type.
  let type: UInt32
  /// `nil` for `NULL`.
  let bytes: [UInt8]?

  init(type: UInt32, bytes: [UInt8]?) {
    self.type = type
    self.bytes = bytes
  }

  /// A value of a type in its binary form; `nil` for `NULL`.
  package init(_ type: DataType, _ bytes: [UInt8]?) { self.init(type: type.rawValue, bytes: bytes) }

  package static func integer(_ value: Int64) -> Parameter {
    var bytes: [UInt8] = []
    BinaryForm.append(value, to: &bytes)
    return Parameter(.integer64, bytes)
  }

  package static func text(_ value: String?) -> Parameter { Parameter(.text, value.map { Array($0.utf8) }) }

  package static func boolean(_ value: Bool) -> Parameter { Parameter(.boolean, [value ? 1 : 0]) }

  package static func bytes(_ value: Data) -> Parameter { Parameter(.bytes, Array(value)) }

  package static func double(_ value: Double) -> Parameter {
    var bytes: [UInt8] = []
    BinaryForm.append(value, to: &bytes)
    return Parameter(.double, bytes)
  }

  /// A moment; an infinite one for a moment that the type cannot hold.
  package static func moment(_ date: Date) -> Parameter {
    var bytes: [UInt8] = []
    let seconds = date.timeIntervalSinceReferenceDate
    BinaryForm.append(BinaryForm.microseconds(seconds) ?? (seconds < 0 ? .min : .max), to: &bytes)
    return Parameter(.moment, bytes)
  }

  /// An array of keys.
  package static func integers(_ values: some Sequence<Int64>) -> Parameter {
    var array = ParameterArray(.integer64)
    for value in values { array.append { BinaryForm.append(value, to: &$0) } }
    return array.parameter
  }

  package static func texts(_ values: some Sequence<String?>) -> Parameter {
    var array = ParameterArray(.text)
    for value in values {
      if let value { array.append { $0.append(contentsOf: value.utf8) } } else { array.appendNull() }
    }
    return array.parameter
  }
}

/// An array of values for one placeholder, built element by element.
package struct ParameterArray: Sendable {
  package let type: DataType
  package private(set) var count = 0
  private var hasNull = false
  private var bytes: [UInt8] = []
  /// Where the last element's form begins; `nil` for `NULL`.
  private var lastStart: Int?
  /// The form of the last element; `nil` for `NULL`.
  package var last: ArraySlice<UInt8>? { lastStart.map { bytes[$0...] } }
  /// The size of the elements.
  package var byteCount: Int { bytes.count }

  package init(_ type: DataType) { self.type = type }

  package mutating func appendNull() {
    count += 1
    hasNull = true
    lastStart = nil
    BinaryForm.append(Int32(-1), to: &bytes)
  }

  /// Appends an element, whose binary form a closure writes.
  package mutating func append(_ write: (inout [UInt8]) throws -> Void) rethrows {
    let start = bytes.count
    BinaryForm.append(Int32(0), to: &bytes)
    do { try write(&bytes) } catch {
      bytes.removeSubrange(start...)
      throw error
    }
    let length = Int32(clamping: bytes.count - start - 4).bigEndian
    withUnsafeBytes(of: length) { for (offset, byte) in $0.enumerated() { bytes[start + offset] = byte } }
    count += 1
    lastStart = start + 4
  }

  package var parameter: Parameter { Parameter(type: type.arrayIdentifier, bytes: form) }

  /// The binary form of the array.
  package var form: [UInt8] {
    var form: [UInt8] = []
    form.reserveCapacity(bytes.count + 20)
    BinaryForm.append(Int32(count == 0 ? 0 : 1), to: &form)
    BinaryForm.append(Int32(hasNull ? 1 : 0), to: &form)
    BinaryForm.append(type.rawValue, to: &form)
    if count > 0 {
      BinaryForm.append(Int32(clamping: count), to: &form)
      BinaryForm.append(Int32(1), to: &form)
    }
    return form + bytes
  }
}

extension Parameter {
  package static func uuid(_ value: UUID) -> Parameter {
    Parameter(.uuid, withUnsafeBytes(of: value.uuid) { Array($0) })
  }
}
