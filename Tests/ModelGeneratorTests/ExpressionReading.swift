import struct Foundation.Data
import struct Foundation.Decimal
import struct Foundation.UUID
import ManagedModel

@testable import ModelGenerator

extension [Argument] {
  func value(_ label: String?) -> Expression? { first { $0.label == label }?.value }

  func text(_ label: String?) -> String? { if case .string(let text)? = value(label) { text } else { nil } }

  func integer(_ label: String?) -> Int? { if case .integer(let number)? = value(label) { Int(number) } else { nil } }

  /// Whether an option without arguments is among them.
  func has(_ option: String) -> Bool { contains { $0.label == nil && $0.value == .member(option) } }

  /// The arguments of an option.
  func call(_ option: String) -> [Argument]? {
    for argument in self where argument.label == nil {
      if case .call("." + option, let arguments) = argument.value { return arguments }
    }
    return nil
  }
}

extension [Argument] {
  /// The arguments of a fetch request, beside its name and entity.
  func fetchRequest(name: String, entity: String) -> FetchRequestDescription {
    func flag(_ label: String, _ usual: Bool) -> Bool { value(label).map { $0 == .boolean(true) } ?? usual }
    let results: [Expression: Int] = [.member("identifiers"): 1, .member("dictionaries"): 2, .member("count"): 4]
    return FetchRequestDescription(
      name: name, entityName: entity, predicateFormat: text("predicate"),
      sortDescriptors: (value("sortBy")?.elements ?? []).compactMap { element in
        guard case .call(let word, let arguments) = element else { return nil }
        return .init(
          keyPath: arguments.text(nil) ?? "", isAscending: word == ".ascending",
          selector: arguments.text("selector") ?? "compare:")
      },
      fetchLimit: integer("limit") ?? 0, fetchBatchSize: integer("batchSize") ?? 0,
      includesSubentities: flag("includesSubentities", true),
      includesPropertyValues: flag("includesPropertyValues", true),
      includesPendingChanges: flag("includesPendingChanges", true),
      returnsObjectsAsFaults: flag("returnsObjectsAsFaults", true),
      returnsDistinctResults: flag("returnsDistinctResults", false),
      resultType: value("result").flatMap { results[$0] } ?? 0)
  }
}

extension Expression {
  var text: String? { if case .string(let text) = self { text } else { nil } }

  var elements: [Expression] { if case .array(let elements) = self { elements } else { [] } }

  /// The arguments of a call of this name.
  func arguments(_ name: String) -> [Argument]? {
    if case .call(name, let arguments) = self { arguments } else { nil }
  }

  var deleteRule: RelationshipDescription.DeleteRule? {
    let rules: [Expression: RelationshipDescription.DeleteRule] = [
      .member("noAction"): .noAction, .member("nullify"): .nullify, .member("cascade"): .cascade,
      .member("deny"): .deny,
    ]
    return rules[self]
  }

  /// The dictionary of user info that the literal is.
  var userInfo: [String: UserInfoValue] {
    guard case .dictionary(let entries) = self else { return [:] }
    return Dictionary(entries.map { ($0.key, $0.value.userInfoValue) }) { _, last in last }
  }

  private var userInfoValue: UserInfoValue {
    switch self {
    case .string(let text): .string(text)
    case .integer(let number): .integer(number)
    case .floatingPoint(let number): .real(number)
    case .boolean(let flag): .boolean(flag)
    case .array(let values): .array(values.map(\.userInfoValue))
    case .call(".date", let arguments):
      if case .date(let seconds)? = arguments[0].value.value(of: .date) { .date(seconds) } else { .string("?") }
    case .call(".data", let arguments):
      if case .binary(let data)? = arguments[0].value.value(of: .binary) { .data(data) } else { .string("?") }
    default: .dictionary(userInfo)
    }
  }

  /// The value of the type that the expression gives.
  func value(of type: AttributeType) -> AttributeValue? {
    switch (self, type) {
    case (.integer(let number), .decimal): return .decimal(Decimal(number))
    case (.integer(let number), .double), (.integer(let number), .float): return .double(Double(number))
    case (.integer(let number), .date): return .date(Double(number))
    case (.integer(let number), _): return .integer(number)
    case (.floatingPoint(let number), .date): return .date(number)
    case (.floatingPoint(let number), _): return .double(number)
    case (.boolean(let flag), _): return .boolean(flag)
    case (.string(let text), _): return .string(text)
    case (.bytes(let data), _): return .binary(data)
    case (.call("Data", let arguments), _):
      return arguments.text("base64Encoded").flatMap { Data(base64Encoded: $0) }.map(AttributeValue.binary)
    case (.call("Date", let arguments), _): return arguments[0].value.value(of: .date)
    case (.call("UUID", let arguments), _):
      return arguments.text("uuidString").flatMap { UUID(uuidString: $0) }.map(AttributeValue.uuid)
    case (.call("URL", let arguments), _): return arguments.text("string").map(AttributeValue.uri)
    case (.call("Decimal", let arguments), _):
      if let text = arguments.text("string") { return Decimal(string: text).map(AttributeValue.decimal) }
      guard let exponent = arguments.integer("exponent"), let significand = arguments.integer("significand") else {
        return nil
      }
      return .decimal(
        Decimal(
          sign: arguments.value("sign") == .member("minus") ? .minus : .plus, exponent: exponent,
          significand: Decimal(significand)))
    case (.coalesced(let value, _), _): return value.value(of: type)
    default: return nil
    }
  }

  /// The key paths of an array of them.
  var paths: [[String]] {
    guard case .array(let elements) = self else { return [] }
    return elements.compactMap { if case .keyPath(_, let path) = $0 { path } else { nil } }
  }
}
