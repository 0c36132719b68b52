package import Foundation

extension ArchivedValue {
  /// Reads a value from a column's untrusted bytes.
  ///
  /// Time and memory are linear in the number of bytes: depth and visits are bounded.
  /// - Throws: ``ArchivedValueError``.
  package init(archive: Data) throws(ArchivedValueError) {
    let list: BinaryPropertyList
    do {
      list = try BinaryPropertyList(archive)
    } catch {
      throw .propertyList(error)
    }
    var reader = try ArchivedValueReader(list)
    self = try reader.root()
  }
}

private struct ArchivedValueReader {
  private let archive: KeyedArchive
  private var objects: [BinaryPropertyList.Object] { archive.objects }
  private var table: [Int] { archive.table }
  /// Class names by the position of their descriptions.
  private var classNames: [Int: String] = [:]

  init(_ list: BinaryPropertyList) throws(ArchivedValueError) {
    do {
      archive = try KeyedArchive(list, visits: ArchivedValue.Limits.spareVisits)
    } catch {
      throw .notAKeyedArchive(error.problem)
    }
  }

  mutating func root() throws(ArchivedValueError) -> ArchivedValue {
    try value(archive.rootReference, of: "$top", depth: 0)
  }

  private mutating func value(
    _ reference: Int, of owner: String, depth: Int
  ) throws(ArchivedValueError) -> ArchivedValue {
    guard depth <= ArchivedValue.Limits.depth else { throw .tooDeep }
    guard archive.charge(1) else { throw .tooManyObjects }
    guard reference > 0, table.indices.contains(reference) else {
      throw .malformed(className: owner, problem: "refers to an object that does not exist")
    }
    let position = table[reference]
    switch objects[position] {
    case .boolean(let value): return .boolean(value)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .float(let value): return .real(Double(value))
    case .string(let value): return .string(value)
    case .data(let value): return .data(value)
    case .date(let value): return .date(value)
    case .dictionary: return try object(at: position, depth: depth)
    case .null, .uid, .array, .set:
      throw .malformed(className: owner, problem: "refers to a value that is not an object")
    }
  }

  private mutating func object(at position: Int, depth: Int) throws(ArchivedValueError) -> ArchivedValue {
    let name = try className(of: position)
    if let list = ArchivedValue.ListClass(rawValue: name) {
      let elements = list.numbersElements ? numbered(position) : references("NS.objects", of: position)
      guard let elements else { throw .malformed(className: name, problem: "has no “NS.objects”") }
      return .list(try values(elements, of: name, depth: depth + 1), list)
    }
    guard let known = ArchivedValueClass(rawValue: name) else { throw .unknownClass(name) }
    switch known {
    case .null: return .null
    case .string, .mutableString:
      guard case .string(let text)? = content("NS.string", of: position) else {
        throw .malformed(className: name, problem: "has no “NS.string”")
      }
      return .string(text, isMutable: known == .mutableString)
    case .data, .mutableData:
      guard case .data(let data)? = content("NS.data", of: position) else {
        throw .malformed(className: name, problem: "has no “NS.data”")
      }
      return .data(data, isMutable: known == .mutableData)
    case .date:
      switch content("NS.time", of: position) {
      case .real(let seconds)?: return .date(seconds)
      case .integer(let seconds)?: return .date(Double(seconds))
      default: throw .malformed(className: name, problem: "has no “NS.time”")
      }
    case .uuid:
      guard case .data(let bytes)? = content("NS.uuidbytes", of: position), bytes.count == 16 else {
        throw .malformed(className: name, problem: "has no “NS.uuidbytes” of 16 bytes")
      }
      return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    case .url: return try url(at: position, depth: depth)
    case .dictionary, .mutableDictionary:
      guard let keys = references("NS.keys", of: position), let values = references("NS.objects", of: position),
        keys.count == values.count
      else { throw .malformed(className: name, problem: "has no “NS.keys” with as many “NS.objects”") }
      let read = try self.values(keys + values, of: name, depth: depth + 1)
      return .dictionary(
        zip(read.prefix(keys.count), read.suffix(keys.count)).map { ArchivedValue.Entry(key: $0, value: $1) },
        isMutable: known == .mutableDictionary)
    case .decimalNumber, .decimalNumberPlaceholder: return .decimal(try decimal(at: position, of: name))
    }
  }

  private mutating func values(
    _ references: [Int], of owner: String, depth: Int
  ) throws(ArchivedValueError) -> [ArchivedValue] {
    var values: [ArchivedValue] = []
    values.reserveCapacity(references.count)
    for reference in references { values.append(try value(reference, of: owner, depth: depth)) }
    return values
  }

  private mutating func url(at position: Int, depth: Int) throws(ArchivedValueError) -> ArchivedValue {
    let name = ArchivedValueClass.url.rawValue
    guard let relative = reference("NS.relative", of: position),
      case .string(let text, _) = try value(relative, of: name, depth: depth + 1)
    else { throw .malformed(className: name, problem: "has no “NS.relative”") }
    guard let base = reference("NS.base", of: position), base != 0 else { return .url(text) }
    let baseValue = try value(base, of: name, depth: depth + 1)
    guard case .url = baseValue else { throw .malformed(className: name, problem: "has a base that is no URL") }
    return .url(text, base: baseValue)
  }

  /// The mantissa is a number of 16-bit words in the byte order that `NS.mantissa.bo` names, 2 for big-endian.
  private func decimal(at position: Int, of name: String) throws(ArchivedValueError) -> Decimal {
    func number(_ key: String) -> Int? {
      switch content(key, of: position) {
      case .integer(let value)?: Int(exactly: value)
      case .boolean(let flag)?: flag ? 1 : 0
      default: nil
      }
    }
    guard case .data(let mantissa)? = content("NS.mantissa", of: position), mantissa.count == 16,
      let exponent = number("NS.exponent"), -128...127 ~= exponent, let length = number("NS.length"), 0...8 ~= length,
      let isNegative = number("NS.negative")
    else { throw .malformed(className: name, problem: "has no decimal number's parts") }
    if length == 0 { return isNegative == 0 ? 0 : .nan }
    let archived = ArchivedMantissa(mantissa, isBigEndian: number("NS.mantissa.bo") == 2)
    guard let value = archived.decimal(wordCount: length, exponent: exponent, isNegative: isNegative != 0) else {
      throw .malformed(className: name, problem: "has no decimal number's parts")
    }
    return value
  }

  // MARK: Fields

  private mutating func className(of position: Int) throws(ArchivedValueError) -> String {
    guard let reference = reference("$class", of: position), table.indices.contains(reference) else {
      throw .malformed(className: "", problem: "names no class")
    }
    let description = table[reference]
    if let known = classNames[description] { return known }
    guard case .string(let name)? = content("$classname", of: description) else {
      throw .malformed(className: "", problem: "names no class")
    }
    classNames[description] = name
    return name
  }

  private func field(_ key: String, of position: Int) -> Int? {
    archive.field(key, of: position)
  }

  private func content(_ key: String, of position: Int) -> BinaryPropertyList.Object? {
    guard let field = field(key, of: position) else { return nil }
    // Some archivers refer to values that others write in place.
    guard case .uid(let reference) = objects[field], table.indices.contains(reference) else { return objects[field] }
    return objects[table[reference]]
  }

  private func reference(_ key: String, of position: Int) -> Int? {
    guard let field = field(key, of: position), case .uid(let reference) = objects[field] else { return nil }
    return reference
  }

  private func references(_ key: String, of position: Int) -> [Int]? {
    guard let field = field(key, of: position), case .array(let items) = objects[field] else { return nil }
    var references: [Int] = []
    references.reserveCapacity(items.count)
    for item in items {
      guard case .uid(let reference) = objects[item] else { return nil }
      references.append(reference)
    }
    return references
  }

  /// The elements of an ordered set, in order. Each has a key with its number.
  private func numbered(_ position: Int) -> [Int]? {
    guard case .dictionary(let keys, let values) = objects[position] else { return nil }
    var found: [(number: Int, reference: Int)] = []
    for (key, value) in zip(keys, values) {
      guard case .string(let name) = objects[key], name.hasPrefix("NS.object.") else { continue }
      guard let number = Int(name.dropFirst("NS.object.".count)), case .uid(let reference) = objects[value] else {
        return nil
      }
      found.append((number, reference))
    }
    found.sort { $0.number < $1.number }
    guard zip(found, found.indices).allSatisfy({ $0.number == $1 }) else { return nil }
    return found.map(\.reference)
  }
}
