import Foundation
/// Prints expressions, types and identifiers.
enum ExpressionRenderer {
  static func render(_ expression: Expression) -> String {
    switch expression {
    case .integer(let number): integer(number)
    case .floatingPoint(let number): floatingPoint(number)
    case .boolean(let flag): String(flag)
    case .string(let text): string(text)
    case .bytes(let data): "Data([\(data.map(byte).joined(separator: ", "))])"
    case .none: "nil"
    case .name(let name): name
    case .member(let name): ".\(identifier(name))"
    case .call(let name, let arguments): "\(name)(\(self.arguments(arguments)))"
    case .keyPath(let root, let components):
      "\\\(root.map(identifier) ?? "").\(components.map(component).joined(separator: "."))"
    case .metatype(let name): "\(identifier(name)).self"
    case .array(let elements): "[\(elements.map(render).joined(separator: ", "))]"
    case .dictionary(let entries):
      entries.isEmpty
        ? "[:]" : "[\(entries.map { "\(string($0.key)): \(render($0.value))" }.joined(separator: ", "))]"
    case .range(let lower, let upper): "\(lower.map(integer) ?? "")...\(upper.map(upperBound) ?? "")"
    case .coalesced(let value, let fallback): "\(render(value)) ?? \(render(fallback))"
    }
  }

  /// A bound behind dots. A sign would be read as a part of the operator.
  private static func upperBound(_ number: Int64) -> String {
    number < 0 ? "(\(integer(number)))" : integer(number)
  }

  /// A component of a key path. A question mark is no part of its name.
  private static func component(_ component: String) -> String {
    component.hasSuffix("?") ? identifier(String(component.dropLast())) + "?" : identifier(component)
  }

  static func arguments(_ arguments: [Argument]) -> String {
    arguments.map(argument).joined(separator: ", ")
  }

  static func argument(_ argument: Argument) -> String {
    (argument.label.map { "\($0): " } ?? "") + render(argument.value)
  }

  static func type(_ type: TypeReference) -> String {
    let element = identifier(type.name)
    return (type.isArray ? "[\(element)]" : element) + (type.isOptional ? "?" : "")
  }

  /// The identifier, in backticks if it is a keyword.
  static func identifier(_ name: String) -> String {
    ReservedNames.keywords.contains(name) && name != "Any" ? "`\(name)`" : name
  }

  /// The label of an argument. The compiler accepts every keyword as a label except `inout`.
  static func label(_ name: String) -> String { name == "inout" ? "`\(name)`" : name }

  /// A literal that holds exactly these scalars; invisible scalars are escaped.
  static func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      default:
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .nonspacingMark,
          .enclosingMark:
          result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        default: result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  /// A number of seven or more digits has a separator between groups of three digits.
  private static func integer(_ number: Int64) -> String {
    let digits = String(number.magnitude)
    guard digits.count > 6 else { return String(number) }
    var groups: [Substring] = []
    var rest = digits[...]
    while !rest.isEmpty {
      groups.insert(rest.suffix(3), at: 0)
      rest = rest.dropLast(3)
    }
    return (number < 0 ? "-" : "") + groups.joined(separator: "_")
  }

  private static func floatingPoint(_ number: Double) -> String {
    if number.isNaN { return ".nan" }
    if number.isInfinite { return number < 0 ? "-.infinity" : ".infinity" }
    return number.description
  }

  private static func byte(_ value: UInt8) -> String {
    "0x" + (value < 16 ? "0" : "") + String(value, radix: 16, uppercase: true)
  }
}
