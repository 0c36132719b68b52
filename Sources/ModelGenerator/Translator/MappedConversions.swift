import ManagedModel

/// Assignments to properties, with the conversions that they need.
extension MappedExpressions {
  /// The statement that sets a property; `nil` if no conversion of the types is known.
  ///
  /// A value that the property cannot hold, or only without its fraction, stops the migration. So does no value for a mandatory property.
  mutating func assignment(_ target: String, _ type: TypeReference, from value: SwiftValue) -> String? {
    guard value.type.isArray == type.isArray else { return nil }
    if value.type.name == type.name { return assignment(target, type, of: value) { $0 } }
    guard !type.isArray, let conversion = Self.conversion(from: value.type.name, to: type.name) else { return nil }
    switch conversion {
    case .total(let convert): return assignment(target, type, of: value, convert)
    case .partial(let convert):
      let call = "\(use(.converted))("
      let label = label
      return assignment(target, type, of: value, isThrowing: true) {
        let (opening, body) = ("\(call)\($0), for: \(label)) {", convert("$0"))
        return opening.count + body.count < 80 ? "\(opening) \(body) }" : "\(opening)\n  \(body)\n}"
      }
    }
  }

  /// The assignment of a converted value.
  mutating func assignment(
    _ target: String, _ type: TypeReference, of value: SwiftValue, isThrowing: Bool = false,
    _ convert: (String) -> String
  ) -> String {
    let effect = value.isThrowing || isThrowing ? "try " : ""
    switch (value.type.isOptional, type.isOptional) {
    case (false, _): return "\(target) = \(effect)\(convert(value.text))"
    case (true, false):
      return "\(target) = try \(convert("\(use(.required))(\(value.text), for: \(label))"))"
    case (true, true):
      let converted = convert("$0")
      if converted == "$0" { return "\(target) = \(effect)\(value.text)" }
      let body = (isThrowing ? "try " : "") + converted
      let line = "\(effect)\(value.text).map({ \(body) })"
      // The layout of swift-format, for the text of a value that is computed.
      return line.count < 140 ? "\(target) = \(line)" : "\(target) =\n  \(effect)\(value.text).map({\n    \(body)\n  })"
    }
  }

  private enum Conversion {
    case total((String) -> String)
    /// An expression that is `nil` for a value that the new type cannot hold.
    case partial((String) -> String)
  }

  private static func conversion(from source: String, to target: String) -> Conversion? {
    let isNumber = { integers.contains($0) || reals.contains($0) }
    switch (source, target) {
    case ("Int16", "Int32"), ("Int16", "Int64"), ("Int32", "Int64"), ("Int", "Int64"):
      return .total { "\(target)(\($0))" }
    case let (from, to) where integers.contains(from) && integers.contains(to):
      return .partial { "\(to)(exactly: \($0))" }
    case (_, "Double") where reals.contains(source), (_, "Float") where reals.contains(source),
      ("Int16", "Double"), ("Int32", "Double"), ("Int16", "Float"):
      return .total { "\(target)(\($0))" }
    case let (from, to) where integers.contains(from) && reals.contains(to): return .partial { "\(to)(exactly: \($0))" }
    // A fraction that Core Data would cut off is a loss.
    case let (from, to) where reals.contains(from) && integers.contains(to): return .partial { "\(to)(exactly: \($0))" }
    case let ("Decimal", to) where integers.contains(to): return .partial { "\(to)(\($0).description)" }
    case let (from, "Decimal") where integers.contains(from): return .total { "Decimal(\($0))" }
    case ("Double", "Decimal"): return .partial { "\($0).isFinite ? Decimal(\($0)) : nil" }
    case ("Float", "Decimal"): return .partial { "\($0).isFinite ? Decimal(Double(\($0))) : nil" }
    case ("Decimal", "Double"): return .total { "NSDecimalNumber(decimal: \($0)).doubleValue" }
    case ("Decimal", "Float"): return .total { "NSDecimalNumber(decimal: \($0)).floatValue" }
    case let (from, "Bool") where isNumber(from): return .partial { "[0: false, 1: true][\($0)]" }
    case let ("Bool", to) where isNumber(to) || to == "Decimal": return .total { "\($0) ? 1 : 0" }
    case ("Bool", "String"): return .total { "\($0) ? \"1\" : \"0\"" }
    case let (from, "String") where isNumber(from): return .total { "String(\($0))" }
    case let ("String", to) where isNumber(to): return .partial { "\(to)(\($0))" }
    case ("String", "UUID"): return .partial { "UUID(uuidString: \($0))" }
    case ("UUID", "String"): return .total { "\($0).uuidString" }
    case ("String", "URL"): return .partial { "URL(string: \($0))" }
    case ("URL", "String"): return .total { "\($0).absoluteString" }
    case ("Date", "Double"): return .total { "\($0).timeIntervalSinceReferenceDate" }
    case ("Double", "Date"): return .total { "Date(timeIntervalSinceReferenceDate: \($0))" }
    default: return nil
    }
  }
}
