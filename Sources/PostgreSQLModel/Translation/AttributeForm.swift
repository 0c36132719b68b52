import ErrorReporting
import Foundation
import ManagedModel

/// The attribute that a column of a type becomes.
struct AttributeForm {
  var type: AttributeType
  /// The name of the Swift type of an array.
  var collection: String?
  /// The largest number of characters of a text.
  var longestText: Int?
  /// Whether a domain forbids `NULL`.
  var isRequired = false
  /// The default of a domain.
  var defaultExpression: String?
  /// A part of the column's meaning that the attribute lacks.
  var loss: String?

  /// The reason why no attribute has values of a type: a clause about the column.
  struct Unsupported: Error {
    let reason: String
  }

  /// - Throws: ``Unsupported``
  init(_ column: Catalogue.Column, in catalogue: Catalogue) throws(Unsupported) {
    var identifier = column.type
    var modifier = column.modifier
    var isRequired = false
    var expression: String?
    var seen: Set<Int64> = []
    while let type = catalogue.types[identifier], type.kind == "d", seen.insert(identifier).inserted {
      isRequired = isRequired || type.isRequired
      expression = expression ?? type.defaultExpression
      if modifier < 0 { modifier = type.modifier }
      identifier = type.base
    }
    guard let type = catalogue.types[identifier] else { throw Unsupported(reason: "its type is unknown") }
    self = try Self.plain(type, modifier: modifier)
    self.isRequired = isRequired
    defaultExpression = expression
    if seen.isEmpty == false, loss == nil {
      loss =
        "its values have the checks of the domain \(quoted(catalogue.types[column.type]?.sql ?? "")), which the class does not make"
    }
  }

  private init(_ type: AttributeType, longestText: Int? = nil, loss: String? = nil) {
    self.type = type
    self.longestText = longestText
    self.loss = loss
  }

  private static func plain(_ type: Catalogue.ColumnType, modifier: Int) throws(Unsupported) -> AttributeForm {
    if type.kind == "e" {
      return AttributeForm(.string, loss: "it has the enumeration type \(quoted(type.sql)); the class takes any text")
    }
    if type.isArray {
      guard type.schema == "pg_catalog", let element = elements[type.name] else {
        throw Unsupported(reason: "no attribute has values of its type \(quoted(type.sql))")
      }
      var form = AttributeForm(
        .transformable,
        loss: "its type \(quoted(type.sql)) allows arrays of arrays, and elements without a value; the class does not")
      form.collection = "Array<\(element)>"
      return form
    }
    guard type.schema == "pg_catalog" else {
      throw Unsupported(reason: "no attribute has values of its type \(quoted(type.sql))")
    }
    switch type.name {
    case "bool": return AttributeForm(.boolean)
    case "int2": return AttributeForm(.integer16)
    case "int4": return AttributeForm(.integer32)
    case "int8": return AttributeForm(.integer64)
    case "float4": return AttributeForm(.float)
    case "float8": return AttributeForm(.double)
    case "numeric":
      // The upper half of the modifier, after a header of four bytes, is the number of digits.
      let digits = modifier < 4 ? 0 : (modifier - 4) >> 16
      return AttributeForm(
        .decimal, loss: digits > 38 ? "it has numbers of \(digits) digits; a Decimal keeps 38" : nil)
    case "text", "name": return AttributeForm(.string)
    case "varchar", "bpchar": return AttributeForm(.string, longestText: modifier < 4 ? nil : modifier - 4)
    case "uuid": return AttributeForm(.uuid)
    case "bytea": return AttributeForm(.binary)
    case "timestamptz": return AttributeForm(.date)
    case "timestamp":
      return AttributeForm(.date, loss: "its type \(quoted(type.sql)) has no time zone; the class takes UTC")
    case "date":
      return AttributeForm(.date, loss: "its type date has no time of day; the class takes midnight in UTC")
    default: throw Unsupported(reason: "no attribute has values of its type \(quoted(type.sql))")
    }
  }

  /// The Swift types of elements, by the names of the types of arrays in the catalogue.
  private static let elements = [
    "_text": "String", "_varchar": "String", "_int2": "Int16", "_int4": "Int32", "_int8": "Int", "_float8": "Double",
    "_bool": "Bool", "_uuid": "UUID", "_timestamptz": "Date",
  ]
}

extension AttributeForm {
  /// The value of a default's expression; `nil` for an expression that is no constant, or that the type does not have.
  func value(_ constant: ConstantExpression) -> AttributeValue? {
    let text: String
    switch constant {
    case .null: return nil
    case .boolean(let flag): return type == .boolean ? .boolean(flag) : nil
    case .number(let digits): text = digits
    case .text(let characters): text = characters
    }
    switch type {
    case .boolean:
      return ["t", "true"].contains(text) ? .boolean(true) : ["f", "false"].contains(text) ? .boolean(false) : nil
    case .integer16, .integer32, .integer64:
      return Int64(text).map(AttributeValue.integer).flatMap { $0.fits(type) ? $0 : nil }
    case .float, .double: return Double(text).flatMap { $0.isFinite ? .double($0) : nil }
    case .decimal:
      guard text.count(where: \.isNumber) <= 38, text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }) else {
        return nil
      }
      return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map(AttributeValue.decimal)
    case .string:
      if case .text = constant { return .string(text) }
      return nil
    case .uuid: return UUID(uuidString: text).map(AttributeValue.uuid)
    case .binary: return Data(hexadecimal: text).map(AttributeValue.binary)
    case .date: return CalendarText.seconds(text).map(AttributeValue.date)
    default: return nil
    }
  }
}

extension Data {
  /// The bytes of a text such as `\x00ff`; `nil` for a text of another form.
  fileprivate init?(hexadecimal text: String) {
    let digits = Array(text.utf8)
    guard digits.starts(with: Array("\\x".utf8)), digits.count.isMultiple(of: 2) else { return nil }
    self.init()
    for place in stride(from: 2, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[place...(place + 1)], as: UTF8.self), radix: 16) else {
        return nil
      }
      append(byte)
    }
  }
}
