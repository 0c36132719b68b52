import Foundation
import ManagedModel
import PropertyLists
import SQLite
import StoreRequests

/// What history keeps of a deleted object's composite: one binary property list, with the elements' values by their paths (CD-7).
enum TombstoneElements {
  /// The name of the SQL function that adds elements to a list. Its arguments are a list or NULL, the paths, and the values.
  private static let function = "OSD_ELEMENTS"
  /// The name of the SQL function that returns an element. Its arguments are a list and a path.
  static let elementFunction = "OSD_ELEMENT"
  /// SQLite takes up to 127 arguments.
  private static let limit = 100
  private static let separator: Character = "\n"
  /// A list has the values of one row, and a save writes no row that SQLite cannot hold. So SQLite's own bound is that of a list.
  private static let byteLimit = Int.max

  /// The value that history keeps of an attribute. For external data it is the bytes, without the prefix, and not the file's name.
  ///
  /// A composite of one column, such as an enumeration, is kept as that column's value.
  static func value(of attribute: AttributeLayout, _ row: QueryPrinter.Row, in layout: StoreLayout) -> String {
    value(of: attribute, attribute.columns.map { SQLText.reading($0, of: row, in: layout) })
  }

  /// A list of elements from their values as SQL; the value itself for an attribute of one column.
  static func value(of attribute: AttributeLayout, _ values: [String]) -> String {
    if values.count == 1 { return values[0] }
    let paths = Self.paths(of: attribute)
    // A structure whose members are all nil is a value, too, where there has to be one.
    var list = attribute.description.isOptional ? "NULL" : StoreValue.blob(Self.list(of: [:])).sqlLiteral
    var start = 0
    while start < values.count {
      let range = start..<min(start + limit, values.count)
      let names = Identifier.literal(paths[range].joined(separator: String(separator)))
      list = "\(function)(\(list), \(names), \(values[range].joined(separator: ", ")))"
      start = range.upperBound
    }
    return list
  }

  /// The path of each column's element, below the attribute.
  static func paths(of attribute: AttributeLayout) -> [String] {
    attribute.columns.map { $0.path.dropFirst().joined(separator: ".") }
  }

  static func register(on connection: Connection) throws {
    try connection.registerFunction(function, argumentCount: -1) { arguments in
      guard arguments.count > 1, let names = arguments.text(1) else { return .null }
      var elements = arguments.blob(0).flatMap { Self.elements(in: $0) } ?? [:]
      for (index, name) in names.split(separator: separator, omittingEmptySubsequences: false).enumerated()
      where index + 2 < arguments.count {
        let value = arguments.value(index + 2)
        if value != .null { elements[String(name)] = value }
      }
      return elements.isEmpty && arguments.isNull(0) ? .null : .blob(list(of: elements))
    }
    try connection.registerFunction(elementFunction, argumentCount: 2) { arguments in
      guard let list = arguments.blob(0), let path = arguments.text(1) else { return .null }
      return switch Self.elements(in: list)?[path] {
      case nil, .null?: .null
      case .integer(let number)?: .integer(number)
      case .real(let number)?: .double(number)
      case .text(let text)?: .text(text)
      case .blob(let data)?: .blob(data)
      }
    }
  }

  private static func list(of elements: [String: StoreValue]) -> Data {
    let names = elements.keys.sorted()
    var objects: [BinaryPropertyList.Object] = [
      .dictionary(keys: Array(1..<(names.count + 1)), values: Array((names.count + 1)..<(2 * names.count + 1)))
    ]
    objects += names.map { .string($0) }
    objects += names.map { name in
      switch elements[name] ?? .null {
      case .null: .null
      case .integer(let number): .integer(Int128(number))
      case .real(let number): .real(number)
      case .text(let text): .string(text)
      case .blob(let data): .data(data)
      }
    }
    return BinaryPropertyList(objects: objects, top: 0).encoded()
  }

  /// The elements of a composite in a list, by ``StoreAttribute/tombstoneKeys``; empty if it is no list.
  static func values(of attribute: AttributeLayout, in list: Data) -> [String: StoreValue] {
    guard let elements = elements(in: list), let first = attribute.columns.first else { return [:] }
    let known = zip(attribute.columns, paths(of: attribute)).compactMap { column, path in
      elements[path].map { (StoreAttribute.tombstoneKey(column.path), $0) }
    }
    guard !known.isEmpty else {
      return attribute.description.isOptional ? [:] : [StoreAttribute.tombstoneKey(first.path): .null]
    }
    return Dictionary(known, uniquingKeysWith: { first, _ in first })
  }

  /// The elements in a list; without those that are no such values. `nil` for other bytes.
  private static func elements(in bytes: Data) -> [String: StoreValue]? {
    guard let list = try? BinaryPropertyList(bytes, byteLimit: byteLimit),
      case .dictionary(let keys, let values) = list.objects[list.top]
    else { return nil }
    var elements: [String: StoreValue] = [:]
    for (key, value) in zip(keys, values) {
      guard case .string(let name) = list.objects[key] else { continue }
      switch list.objects[value] {
      case .integer(let number): elements[name] = Int64(exactly: number).map { .integer($0) }
      case .real(let number): elements[name] = .real(number)
      case .string(let text): elements[name] = .text(text)
      case .data(let data): elements[name] = .blob(data)
      default: break
      }
    }
    return elements
  }
}

extension FunctionArguments {
  fileprivate func value(_ index: Int) -> StoreValue {
    if isInteger(index) { return .integer(integer(index)) }
    if isFloatingPoint(index) { return .real(double(index)) }
    if isText(index) { return text(index).map { .text($0) } ?? .null }
    return blob(index).map { .blob($0) } ?? .null
  }
}
