package import Foundation

extension BinaryPropertyList {
  /// The bytes of the list: objects in the order of the table, every number in the fewest bytes.
  ///
  /// Equal lists give equal bytes. References are trusted; a list that was read, or built by this module, has valid ones.
  package func encoded() -> Data {
    var writer = BinaryPropertyListWriter(referenceSize: byteCount(of: objects.count))
    return writer.write(self)
  }
}

private struct BinaryPropertyListWriter {
  private var bytes = Array("bplist00".utf8)
  private let referenceSize: Int

  init(referenceSize: Int) {
    self.referenceSize = referenceSize
  }

  mutating func write(_ list: BinaryPropertyList) -> Data {
    var offsets: [Int] = []
    offsets.reserveCapacity(list.objects.count)
    for object in list.objects {
      offsets.append(bytes.count)
      append(object)
    }
    let table = bytes.count
    let offsetSize = byteCount(of: table)
    for offset in offsets { append(offset, size: offsetSize) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    for number in [list.objects.count, list.top, table] { append(number, size: 8) }
    return Data(bytes)
  }

  private mutating func append(_ object: BinaryPropertyList.Object) {
    switch object {
    case .null: bytes.append(0x00)
    case .boolean(let value): bytes.append(value ? 0x09 : 0x08)
    case .integer(let value): append(integer: value)
    case .real(let value):
      bytes.append(0x23)
      append(value.bitPattern, size: 8)
    case .float(let value):
      bytes.append(0x22)
      append(value.bitPattern, size: 4)
    case .date(let value):
      bytes.append(0x33)
      append(value.bitPattern, size: 8)
    case .data(let data):
      append(marker: 0x4, count: data.count)
      bytes += data
    case .string(let text): append(string: text)
    case .uid(let value):
      let size = byteCount(of: value)
      bytes.append(0x80 | UInt8(size - 1))
      append(value, size: size)
    case .array(let references):
      append(marker: 0xA, count: references.count)
      for reference in references { append(reference, size: referenceSize) }
    case .set(let references):
      append(marker: 0xC, count: references.count)
      for reference in references { append(reference, size: referenceSize) }
    case .dictionary(let keys, let values):
      append(marker: 0xD, count: keys.count)
      for reference in keys + values { append(reference, size: referenceSize) }
    }
  }

  private mutating func append(string text: String) {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      append(marker: 0x5, count: text.utf8.count)
      bytes += text.utf8
    } else {
      append(marker: 0x6, count: text.utf16.count)
      for unit in text.utf16 { append(unit, size: 2) }
    }
  }

  private mutating func append(marker: UInt8, count: Int) {
    if count < 0xF {
      bytes.append(marker << 4 | UInt8(count))
    } else {
      bytes.append(marker << 4 | 0xF)
      append(integer: Int128(count))
    }
  }

  /// Negative numbers take 8 bytes. Numbers beyond 64 signed bits take 16.
  private mutating func append(integer value: Int128) {
    if let small = UInt32(exactly: value) {
      let size = small <= 0xFF ? 1 : small <= 0xFFFF ? 2 : 4
      bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
      append(small, size: size)
    } else if let medium = Int64(exactly: value) {
      bytes.append(0x13)
      append(UInt64(bitPattern: medium), size: 8)
    } else {
      bytes.append(0x14)
      append(UInt128(bitPattern: value), size: 16)
    }
  }

  /// A number that is not negative.
  private mutating func append(_ value: Int, size: Int) {
    var shift = 8 * size
    while shift > 0 {
      shift -= 8
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  private mutating func append(_ value: some FixedWidthInteger, size: Int) {
    for index in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }
}

/// The bytes of a number in the file's tables: 1, 2, 4 or 8.
private func byteCount(of value: Int) -> Int {
  value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFF_FFFF ? 4 : 8
}
