internal import CoreDataStore
internal import Foundation
internal import ManagedModel

/// Evaluates a predicate in `NSPredicate`'s format in memory: for an object, for a value, or for its variables alone.
struct FormatEvaluation {
  let subject: Subject
  var variables: [String: FormatValue] = [:]
  /// Objects that variables stand for, so that paths can begin at them.
  var objects: [String: any PersistentModel] = [:]

  enum Subject {
    case object(any PersistentModel)
    case value(Any)
    case none
  }

  // MARK: Predicates

  func holds(_ tree: PredicateTree) throws -> Bool {
    switch tree {
    case .value(let value): return value
    case .and(let parts): return try parts.allSatisfy { try holds($0) }
    case .or(let parts): return try parts.contains { try holds($0) }
    case .not(let part): return try !holds(part)
    case .comparison(let left, let relation, let right, let modifier, let options):
      let right = try value(right)
      let left = try value(left)
      switch modifier {
      case .direct: return try Self.compare(left, relation, right, options)
      case .any: return try Self.items(left).contains { try Self.compare($0, relation, right, options) }
      case .all: return try Self.items(left).allSatisfy { try Self.compare($0, relation, right, options) }
      }
    }
  }

  private static func items(_ value: FormatValue) -> [FormatValue] {
    if case .list(let items) = value { items } else { value.isNull ? [] : [value] }
  }

  private static func compare(
    _ left: FormatValue, _ relation: PredicateTree.Operator, _ right: FormatValue, _ options: PredicateTree.Options
  ) throws -> Bool {
    let left = fold(left, options)
    let right = fold(right, options)
    switch relation {
    case .equal: return left.equals(right)
    case .notEqual: return !left.equals(right)
    case .lessThan: return left.compared(to: right) == .orderedAscending
    case .lessThanOrEqual: return left.compared(to: right).map { $0 != .orderedDescending } ?? false
    case .greaterThan: return left.compared(to: right) == .orderedDescending
    case .greaterThanOrEqual: return left.compared(to: right).map { $0 != .orderedAscending } ?? false
    case .in: return contains(right, left)
    case .contains: return contains(left, right)
    case .between:
      guard case .list(let bounds) = right, bounds.count == 2 else { return false }
      return left.compared(to: bounds[0]).map { $0 != .orderedAscending } ?? false
        && left.compared(to: bounds[1]).map { $0 != .orderedDescending } ?? false
    case .beginsWith: return strings(left, right) { $0.hasPrefix($1) }
    case .endsWith: return strings(left, right) { $0.hasSuffix($1) }
    case .like, .matches:
      guard let text = left.text, let pattern = right.text else { return false }
      return try matches(text, relation == .like ? Self.expression(like: pattern) : pattern)
    }
  }

  private static func contains(_ whole: FormatValue, _ part: FormatValue) -> Bool {
    if case .list(let items) = whole { return items.contains { $0.equals(part) } }
    return strings(whole, part) { StringFunctions.contains($0, $1) }
  }

  private static func strings(_ left: FormatValue, _ right: FormatValue, _ test: (String, String) -> Bool) -> Bool {
    guard let left = left.text, let right = right.text else { return false }
    return test(left, right)
  }

  /// Texts without what the options say is not to count.
  private static func fold(_ value: FormatValue, _ options: PredicateTree.Options) -> FormatValue {
    var folding: String.CompareOptions = []
    for (letter, option) in PredicateTree.Options.letters where options.contains(option) {
      if letter == "c" { folding.insert(.caseInsensitive) }
      if letter == "d" { folding.insert(.diacriticInsensitive) }
    }
    guard !folding.isEmpty else { return value }
    switch value {
    case .stored(.text(let text)): return .stored(.text(text.folding(options: folding, locale: nil)))
    case .list(let items): return .list(items.map { fold($0, options) })
    default: return value
    }
  }

  private static func matches(_ text: String, _ pattern: String) throws -> Bool {
    let expression: NSRegularExpression
    do {
      expression = try NSRegularExpression(pattern: "\\A(?:\(pattern))\\z", options: .dotMatchesLineSeparators)
    } catch {
      throw FormatProblem(reason: "a pattern is no regular expression")
    }
    return expression.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
  }

  /// The regular expression of a pattern with `?` for any character and `*` for any number of them.
  private static func expression(like pattern: String) -> String {
    pattern.map { letter in
      letter == "?" ? "." : letter == "*" ? ".*" : NSRegularExpression.escapedPattern(for: String(letter))
    }.joined()
  }

  // MARK: Expressions

  func value(_ tree: ExpressionTree) throws -> FormatValue {
    switch tree {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .integer(let number): return .stored(.integer(number))
    case .real(let number), .date(let number): return .stored(.real(number))
    case .string(let text): return .stored(.text(text))
    case .list(let items): return .list(try items.map { try value($0) })
    case .variable(let name):
      guard let value = variables[name] else { throw FormatProblem(reason: "the variable $\(name) has no value") }
      return value
    case .evaluatedObject:
      switch subject {
      case .object(let object): return .object(object.persistentModelID)
      case .value(let content):
        guard let value = FormatValue(content) else { throw FormatProblem(reason: "the value is of no known kind") }
        return value
      case .none: throw FormatProblem(reason: "SELF stands for nothing here")
      }
    case .keyPath(let base, let path):
      return try Self.value(along: ExpressionTree.components(of: path)[...], from: start(base))
    case .function(let name, let arguments): return try function(name, try arguments.map { try value($0) })
    }
  }

  private func start(_ base: ExpressionTree) throws -> Any? {
    switch base {
    case .evaluatedObject:
      switch subject {
      case .object(let object): return object
      case .value(let value): return value
      case .none: return nil
      }
    case .variable(let name):
      if let object = objects[name] { return object }
      throw FormatProblem(reason: "the variable $\(name) stands for no object")
    default: throw FormatProblem(reason: "a path begins at something that is no object")
    }
  }

  /// What a path of stored names leads to.
  private static func value(along path: ArraySlice<String>, from start: Any?) throws -> FormatValue {
    guard let current = start.flatMap({ unwrap($0) }) else { return path.first == "@count" ? .boolean(false) : .null }
    guard let name = path.first else {
      guard let value = FormatValue(current) else { throw FormatProblem(reason: "a path leads to no stored value") }
      return value
    }
    let rest = path.dropFirst()
    if let list = current as? [Any] {
      if name == "@count" { return .stored(.integer(Int64(list.count))) }
      if name.hasPrefix("@") { throw FormatProblem(reason: "\(name) is not known") }
      return .list(try list.flatMap { items(try value(along: path, from: $0)) })
    }
    if let text = current as? String, name == "length" { return .stored(.integer(Int64(text.utf16.count))) }
    if let object = current as? any PersistentModel {
      return try value(along: rest, from: try read(name, of: object))
    }
    if let composite = current as? any Encodable, let leaves = try? LeafEncoder.encode(composite) {
      return leaves[path.joined(separator: AttributeLayout.separator)].map { .stored($0) } ?? .null
    }
    throw FormatProblem(reason: "\(name) is no property of a value of type \(type(of: current))")
  }

  private static func read(_ name: String, of object: some PersistentModel) throws -> Any? {
    let model = ModelClass.of(type(of: object))
    guard let property = model.property(stored: name) else {
      throw FormatProblem(reason: "\(model.className) has no property '\(name)'")
    }
    return object[keyPath: property.keyPath]
  }

  private func function(_ name: String, _ arguments: [FormatValue]) throws -> FormatValue {
    switch (name, arguments.count) {
    case ("uppercase:", 1): return arguments[0].text.map { .stored(.text($0.uppercased())) } ?? .null
    case ("lowercase:", 1): return arguments[0].text.map { .stored(.text($0.lowercased())) } ?? .null
    case ("length:", 1): return arguments[0].text.map { .stored(.integer(Int64($0.utf16.count))) } ?? .null
    case ("count:", 1): return .stored(.integer(Int64(Self.items(arguments[0]).count)))
    case ("now", 0), ("now:", 0): return .stored(.real(Date().timeIntervalSinceReferenceDate))
    case ("add:to:", 2), ("from:subtract:", 2), ("multiply:by:", 2), ("divide:by:", 2):
      guard let left = arguments[0].number, let right = arguments[1].number else { return .null }
      let result =
        switch name {
        case "add:to:": left + right
        case "from:subtract:": left - right
        case "multiply:by:": left * right
        default: left / right
        }
      return .stored(.real(result))
    default: throw FormatProblem(reason: "the function \(name) is not known")
    }
  }
}
