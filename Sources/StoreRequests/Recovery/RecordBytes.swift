package import Foundation

/// A value that a record of a save holds as bytes: one after the other, numbers in eight bytes, lengths before what they count.
package protocol RecordedValue {
  func write(to bytes: inout RecordBytes)
  /// - Throws: ``RecordBytes/Damage``
  init(from bytes: inout RecordBytes) throws
}

/// The bytes of a record. They are read without trust: nothing is taken that they do not have.
package struct RecordBytes {
  package private(set) var data: Data
  /// The number of bytes that are read.
  private var position = 0

  package struct Damage: Error {}

  init() { data = Data() }

  private init(_ data: Data) { self.data = Data(data) }

  package static func encode(_ value: some RecordedValue) -> Data {
    var bytes = RecordBytes()
    value.write(to: &bytes)
    return bytes.data
  }

  /// - Throws: ``Damage`` if the bytes are no such value, or have more than that.
  package static func decode<Value: RecordedValue>(_ type: Value.Type, from data: Data) throws -> Value {
    var bytes = RecordBytes(data)
    let value = try Value(from: &bytes)
    guard bytes.remainder == 0 else { throw Damage() }
    return value
  }

  private var remainder: Int { data.count - position }

  mutating func append(_ part: Data) {
    Int64(part.count).write(to: &self)
    data.append(part)
  }

  mutating func append(fixed number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
  }

  mutating func take(_ count: Int) throws -> Data {
    guard count >= 0, count <= remainder else { throw Damage() }
    defer { position += count }
    return data.subdata(in: position..<(position + count))
  }

  mutating func takePart() throws -> Data { try take(takeCount()) }

  /// A number of bytes, or of elements that take a byte at least.
  mutating func takeCount() throws -> Int {
    guard let count = try Int(exactly: Int64(from: &self)), count >= 0, count <= remainder else { throw Damage() }
    return count
  }

  mutating func takeFixed() throws -> UInt64 {
    try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension Int64: RecordedValue {
  package func write(to bytes: inout RecordBytes) { bytes.append(fixed: UInt64(bitPattern: self)) }
  package init(from bytes: inout RecordBytes) throws { self.init(bitPattern: try bytes.takeFixed()) }
}

extension String: RecordedValue {
  package func write(to bytes: inout RecordBytes) { bytes.append(Data(utf8)) }
  package init(from bytes: inout RecordBytes) throws {
    guard let text = String(data: try bytes.takePart(), encoding: .utf8) else { throw RecordBytes.Damage() }
    self = text
  }
}

extension Array: RecordedValue where Element: RecordedValue {
  package func write(to bytes: inout RecordBytes) {
    Int64(count).write(to: &bytes)
    for element in self { element.write(to: &bytes) }
  }

  package init(from bytes: inout RecordBytes) throws {
    self = []
    for _ in 0..<(try bytes.takeCount()) { append(try Element(from: &bytes)) }
  }
}

extension Optional: RecordedValue where Wrapped: RecordedValue {
  package func write(to bytes: inout RecordBytes) {
    Int64(self == nil ? 0 : 1).write(to: &bytes)
    self?.write(to: &bytes)
  }

  package init(from bytes: inout RecordBytes) throws {
    self = try Int64(from: &bytes) == 0 ? nil : Wrapped(from: &bytes)
  }
}

extension StoreValue: RecordedValue {
  package func write(to bytes: inout RecordBytes) {
    switch self {
    case .null: Int64(0).write(to: &bytes)
    case .integer(let value):
      Int64(1).write(to: &bytes)
      value.write(to: &bytes)
    case .real(let value):
      Int64(2).write(to: &bytes)
      bytes.append(fixed: value.bitPattern)
    case .text(let value):
      Int64(3).write(to: &bytes)
      value.write(to: &bytes)
    case .blob(let value):
      Int64(4).write(to: &bytes)
      bytes.append(value)
    }
  }

  package init(from bytes: inout RecordBytes) throws {
    switch try Int64(from: &bytes) {
    case 0: self = .null
    case 1: self = .integer(try Int64(from: &bytes))
    case 2: self = .real(Double(bitPattern: try bytes.takeFixed()))
    case 3: self = .text(try String(from: &bytes))
    case 4: self = .blob(try bytes.takePart())
    default: throw RecordBytes.Damage()
    }
  }
}
