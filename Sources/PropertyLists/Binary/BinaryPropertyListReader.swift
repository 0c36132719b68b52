package import Foundation

extension BinaryPropertyList {
  /// Reads a binary property list from untrusted bytes.
  ///
  /// Every byte belongs to at most one object, so time and memory are linear in the size of the bytes, whatever counts
  /// the bytes state: a list that claims bytes twice is refused before their contents are made. A reference, of one byte or
  /// more, takes eight bytes of memory. Layout: objects, table of offsets, trailer of 32 bytes (Apple's CFBinaryPList).
  /// - Parameter byteLimit: the most bytes to read.
  /// - Throws: ``PropertyListError``.
  package init(_ data: Data, byteLimit: Int = Limits.byteCount) throws(PropertyListError) {
    guard data.count <= byteLimit else { throw PropertyListError(reason: .tooLarge, offset: data.count) }
    var reader = BinaryPropertyListReader(bytes: [UInt8](data))
    self = try reader.read()
  }
}

private struct BinaryPropertyListReader {
  let bytes: [UInt8]
  private var referenceSize = 1
  private var objectCount = 0
  /// The end of the area in which objects may lie.
  private var end = 0
  /// The number of bytes of that area which no object has claimed so far.
  private var unclaimed = 0

  private static let header = Array("bplist00".utf8)
  private static let trailerSize = 32

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func read() throws(PropertyListError) -> BinaryPropertyList {
    guard bytes.starts(with: Self.header) else { throw fault(.notABinaryPropertyList, 0) }
    guard bytes.count >= Self.header.count + Self.trailerSize else { throw fault(.truncated, bytes.count) }
    let trailer = bytes.count - Self.trailerSize
    let offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard 1...8 ~= offsetSize, 1...8 ~= referenceSize else { throw fault(.invalidTrailer, trailer) }
    objectCount = try number(at: trailer + 8, size: 8)
    let top = try number(at: trailer + 16, size: 8)
    end = try number(at: trailer + 24, size: 8)
    guard end >= Self.header.count, end <= trailer, objectCount > top, objectCount <= (trailer - end) / offsetSize
    else { throw fault(.invalidTrailer, trailer) }
    guard objectCount <= BinaryPropertyList.Limits.objectCount else { throw fault(.tooLarge, trailer) }
    unclaimed = end - Self.header.count
    // Each object has a byte of its own.
    guard objectCount <= unclaimed else { throw fault(.overlappingObjects, trailer) }

    var objects: [BinaryPropertyList.Object] = []
    objects.reserveCapacity(objectCount)
    var extents: [Range<Int>] = []
    extents.reserveCapacity(objectCount)
    for index in 0..<objectCount {
      let offset = try number(at: end + index * offsetSize, size: offsetSize)
      guard offset >= Self.header.count, offset < end else { throw fault(.offsetOutOfBounds, offset) }
      var position = offset
      objects.append(try object(at: &position))
      extents.append(offset..<position)
    }
    extents.sort { $0.lowerBound < $1.lowerBound }
    for (left, right) in zip(extents, extents.dropFirst()) where left.upperBound > right.lowerBound {
      throw fault(.overlappingObjects, right.lowerBound)
    }
    return BinaryPropertyList(objects: objects, top: top)
  }

  private mutating func object(at position: inout Int) throws(PropertyListError) -> BinaryPropertyList.Object {
    let start = position
    let marker = bytes[try take(1, at: &position).lowerBound]
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0x0:
      switch low {
      case 0x0: return .null
      case 0x8: return .boolean(false)
      case 0x9: return .boolean(true)
      default: throw fault(.unknownObject, start)
      }
    case 0x1: return .integer(try integer(exponent: low, at: &position))
    case 0x2 where low == 2: return .real(Double(Float(bitPattern: try fixed(at: &position))))
    case 0x2 where low == 3: return .real(Double(bitPattern: try fixed(at: &position)))
    case 0x3 where low == 3: return .date(Double(bitPattern: try fixed(at: &position)))
    case 0x4:
      return .data(Data(bytes[try span(low, itemSize: 1, at: &position)]))
    case 0x5:
      let range = try span(low, itemSize: 1, at: &position)
      guard isASCII(range) else { throw fault(.invalidText, start) }
      return .string(String(decoding: bytes[range], as: UTF8.self))
    case 0x6: return .string(try utf16(span(low, itemSize: 2, at: &position), start))
    case 0x8:
      let range = try take(low + 1, at: &position)
      return .uid(try number(at: range.lowerBound, size: low + 1))
    case 0xA: return .array(try references(span(low, itemSize: referenceSize, at: &position)))
    case 0xC: return .set(try references(span(low, itemSize: referenceSize, at: &position)))
    case 0xD:
      let all = try span(low, itemSize: 2 * referenceSize, at: &position)
      let middle = all.lowerBound + all.count / 2
      return .dictionary(
        keys: try references(all.lowerBound..<middle), values: try references(middle..<all.upperBound))
    default: throw fault(.unknownObject, start)
    }
  }

  /// The bytes of a counted object's contents; a count of 15 says that the count follows as an integer.
  private mutating func span(
    _ low: Int, itemSize: Int, at position: inout Int
  ) throws(PropertyListError) -> Range<Int> {
    let start = position - 1
    var count = low
    if low == 0xF {
      guard position < end, bytes[position] >> 4 == 1 else { throw fault(.invalidCount, start) }
      let exponent = Int(bytes[try take(1, at: &position).lowerBound] & 0x0F)
      guard let stated = Int(exactly: try integer(exponent: exponent, at: &position)), stated >= 0 else {
        throw fault(.invalidCount, start)
      }
      count = stated
    }
    guard count <= (end - position) / itemSize else { throw fault(.invalidCount, start) }
    return try take(count * itemSize, at: &position)
  }

  /// Claims bytes for one object. More claims than bytes mean that two objects share some.
  private mutating func take(_ count: Int, at position: inout Int) throws(PropertyListError) -> Range<Int> {
    guard count <= end - position else { throw fault(.truncated, position) }
    guard count <= unclaimed else { throw fault(.overlappingObjects, position) }
    unclaimed -= count
    defer { position += count }
    return position..<position + count
  }

  /// 1, 2 and 4 bytes are unsigned, 8 and 16 are signed.
  private mutating func integer(exponent: Int, at position: inout Int) throws(PropertyListError) -> Int128 {
    switch exponent {
    case 0: return Int128(try fixed(at: &position) as UInt8)
    case 1: return Int128(try fixed(at: &position) as UInt16)
    case 2: return Int128(try fixed(at: &position) as UInt32)
    case 3: return Int128(Int64(bitPattern: try fixed(at: &position)))
    case 4: return Int128(bitPattern: try fixed(at: &position))
    default: throw fault(.unknownObject, position - 1)
    }
  }

  private mutating func fixed<Number: FixedWidthInteger>(at position: inout Int) throws(PropertyListError) -> Number {
    let start = try take(Number.bitWidth / 8, at: &position).lowerBound
    return bytes.withUnsafeBytes { Number(bigEndian: $0.loadUnaligned(fromByteOffset: start, as: Number.self)) }
  }

  private func references(_ range: Range<Int>) throws(PropertyListError) -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(range.count / referenceSize)
    for position in stride(from: range.lowerBound, to: range.upperBound, by: referenceSize) {
      let reference = try number(at: position, size: referenceSize)
      guard reference < objectCount else { throw fault(.referenceOutOfBounds, position) }
      result.append(reference)
    }
    return result
  }

  private func isASCII(_ range: Range<Int>) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var index = range.lowerBound
      while index < range.upperBound, bytes[index] < 0x80 { index += 1 }
      return index == range.upperBound
    }
  }

  private func utf16(_ range: Range<Int>, _ start: Int) throws(PropertyListError) -> String {
    var units: [UInt16] = []
    units.reserveCapacity(range.count / 2)
    for position in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
      units.append(UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1]))
    }
    guard let text = String(validating: units, as: UTF16.self) else { throw fault(.invalidText, start) }
    return text
  }

  /// A big-endian unsigned number of 1 to 16 bytes within the bytes.
  private func number(at position: Int, size: Int) throws(PropertyListError) -> Int {
    // Most are references of one or two bytes.
    if size == 1 { return Int(bytes[position]) }
    if size == 2 { return Int(bytes[position]) << 8 | Int(bytes[position + 1]) }
    var value: UInt64 = 0
    for index in position..<position + size {
      guard value < 1 << 56 else { throw fault(.numberTooLarge, position) }
      value = value << 8 | UInt64(bytes[index])
    }
    guard let result = Int(exactly: value) else { throw fault(.numberTooLarge, position) }
    return result
  }

  private func fault(_ reason: PropertyListError.Reason, _ offset: Int) -> PropertyListError {
    PropertyListError(reason: reason, offset: offset)
  }
}
