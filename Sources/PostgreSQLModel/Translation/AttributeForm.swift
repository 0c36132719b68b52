import ErrorReporting
import Foundation
import ManagedModel

/// The attribute for a column's type. A type that no attribute has becomes the text that the server prints.
struct AttributeForm {
  var type: AttributeType
  /// The name of the Swift type of an array.
  var collection: String?
  /// The labels of an enumeration type.
  var enumeration: EnumerationDescription?
  /// The largest number of characters of a text.
  var longestText: Int?
  /// Whether a domain forbids `NULL`.
  var isRequired = false
  /// The default of a domain.
  var defaultExpression: String?
  /// Parts of the column's meaning that the attribute lacks: clauses about the column.
  var losses: [String]

  init(_ column: Catalogue.Column, in catalogue: Catalogue) {
    self.init(type: column.type, modifier: column.modifier, in: catalogue)
  }

  private init(type outer: Int64, modifier: Int, in catalogue: Catalogue) {
    var identifier = outer
    var modifier = modifier
    var isRequired = false
    var expression: String?
    var seen: Set<Int64> = []
    while let type = catalogue.types[identifier], type.kind == "d", seen.insert(identifier).inserted {
      isRequired = isRequired || type.isRequired
      expression = expression ?? type.defaultExpression
      if modifier < 0 { modifier = type.modifier }
      identifier = type.base
    }
    self =
      catalogue.types[identifier].map { Self.plain($0, modifier: modifier, in: catalogue) }
      ?? AttributeForm(.string, loss: "its type is unknown; the class takes text")
    self.isRequired = isRequired
    defaultExpression = expression
    if let domain = catalogue.types[outer], !seen.isEmpty {
      losses.append("its values have the checks of the domain \(quoted(domain.sql)), which the class does not make")
    }
  }

  private init(_ type: AttributeType, longestText: Int? = nil, loss: String? = nil) {
    self.type = type
    self.longestText = longestText
    losses = loss.map { [$0] } ?? []
  }

  /// Makes a text of an enumeration.
  mutating func takeAnyText() {
    guard let enumeration else { return }
    losses.append("the class takes any text, not only the labels of the enumeration \(quoted(enumeration.name))")
    self.enumeration = nil
  }

  private static func plain(
    _ type: Catalogue.ColumnType, modifier: Int, in catalogue: Catalogue
  ) -> AttributeForm {
    if type.kind == "e" { return enumerationForm(type) }
    if type.element != 0 { return arrayForm(type, in: catalogue) }
    // An extension makes the type, in any schema.
    if type.name == "citext" {
      return AttributeForm(
        .string, loss: "its type \(quoted(type.sql)) compares without regard to case; the class does not")
    }
    guard type.schema == "pg_catalog" else { return textForm(type) }
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
    default: return textForm(type)
    }
  }

  /// A Swift enumeration cannot have two raw values that Swift takes as equal, such as the two spellings of `é`.
  private static func enumerationForm(_ type: Catalogue.ColumnType) -> AttributeForm {
    var form = AttributeForm(.string)
    form.enumeration = EnumerationDescription(name: ModelNames.entity(type.name), labels: type.labels)
    if type.labels.isEmpty || Set(type.labels).count < type.labels.count { form.takeAnyText() }
    return form
  }

  private static func arrayForm(_ type: Catalogue.ColumnType, in catalogue: Catalogue) -> AttributeForm {
    var element = AttributeForm(type: type.element, modifier: -1, in: catalogue)
    element.takeAnyText()
    guard let name = elements[element.type] else { return textForm(type) }
    var form = AttributeForm(
      .transformable,
      loss: "its type \(quoted(type.sql)) allows arrays of arrays, and elements without a value; the class does not")
    form.collection = "Array<\(name)>"
    form.losses += element.losses
    return form
  }

  /// The text of a value, from which the server can make the value again.
  private static func textForm(_ type: Catalogue.ColumnType) -> AttributeForm {
    AttributeForm(.string, loss: "no attribute has values of its type \(quoted(type.sql)); the class takes their text")
  }

  /// The Swift types of elements.
  private static let elements: [AttributeType: String] = [
    .string: "String", .integer16: "Int16", .integer32: "Int32", .integer64: "Int", .decimal: "Decimal",
    .float: "Float", .double: "Double", .boolean: "Bool", .uuid: "UUID", .date: "Date", .binary: "Data",
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
