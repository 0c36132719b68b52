internal import Foundation
internal import ManagedModel
internal import StoreRequests

/// Evaluates a predicate in `NSPredicate`'s format in memory: for an object, for a value, or with its variables alone.
struct FormatEvaluation {
  let subject: Subject
  var variables: [String: FormatValue] = [:]
  /// The objects of variables, so that paths can begin at them.
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
      let (left, right) = (try value(left), try value(right))
      return try explaining { try left.holds(relation, right, modifier, options) }
    }
  }

  private func explaining<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as FormatError { throw FormatProblem(reason: "\(error)") }
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
      if let object = objects[name], variables[name] == nil { return .object(object.persistentModelID) }
      guard let value = variables[name] else { throw FormatProblem(reason: "the variable $\(name) has no value") }
      return value
    case .evaluatedObject:
      switch subject {
      case .object(let object): return .object(object.persistentModelID)
      case .value(let content):
        guard let value = FormatValue(content) else { throw FormatProblem(reason: "the value is of no known kind") }
        return value
      case .none: throw FormatProblem(reason: "SELF has no value here")
      }
    case .subquery: return .list(try members(tree).map { .object($0.persistentModelID) })
    case .keyPath(let base, let path):
      return try Self.value(along: ExpressionTree.components(of: path)[...], from: start(base))
    case .function(let name, let arguments):
      let arguments = try arguments.map { try value($0) }
      return try explaining { try FormatValue.applying(name, to: arguments) }
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
      throw FormatProblem(reason: "the variable $\(name) is not an object")
    case .subquery: return try members(base)
    default: throw FormatProblem(reason: "a path begins at a value that is not an object")
    }
  }

  /// The objects that a subquery selects.
  private func members(_ tree: ExpressionTree) throws -> [any PersistentModel] {
    guard case .subquery(let collection, let name, let predicate) = tree else { return [] }
    let all: [any PersistentModel]
    switch collection {
    case .keyPath(let base, let path):
      all = try Self.objects(along: ExpressionTree.components(of: path)[...], from: start(base))
    case .subquery: all = try members(collection)
    default: throw FormatProblem(reason: "a subquery is not of a to-many relationship")
    }
    return try all.filter { object in
      var inner = self
      inner.variables[name] = nil
      inner.objects[name] = object
      return try inner.holds(predicate)
    }
  }

  /// The objects at the end of a path of relationships.
  private static func objects(along path: ArraySlice<String>, from start: Any?) throws -> [any PersistentModel] {
    guard let current = start.flatMap({ unwrap($0) }) else { return [] }
    if let list = current as? [any PersistentModel] { return try list.flatMap { try objects(along: path, from: $0) } }
    guard let object = current as? any PersistentModel else {
      throw FormatProblem(reason: "a subquery is not of a to-many relationship")
    }
    guard let name = path.first else { return [object] }
    return try objects(along: path.dropFirst(), from: read(name, of: object))
  }

  /// The value at the end of a path of stored names.
  private static func value(along path: ArraySlice<String>, from start: Any?) throws -> FormatValue {
    guard let current = start.flatMap({ unwrap($0) }) else { return path.first == "@count" ? .boolean(false) : .null }
    guard let name = path.first else {
      guard let value = FormatValue(current) else {
        throw FormatProblem(reason: "a path ends at a value that is not stored")
      }
      return value
    }
    let rest = path.dropFirst()
    if let list = current as? [Any] {
      if name == "@count" { return .stored(.integer(Int64(list.count))) }
      if let aggregate = FormatFunction.collectionOperators[name] {
        return .aggregated(aggregate, try members(of: list, along: rest))
      }
      if name.hasPrefix("@") { throw FormatProblem(reason: "\(name) is not known") }
      return .list(try members(of: list, along: path))
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

  /// The values at the end of a path from each of several objects. Lists are flattened; `nil` stays an element.
  private static func members(of list: [Any], along path: ArraySlice<String>) throws -> [FormatValue] {
    try list.flatMap { element in
      let value = try value(along: path, from: element)
      return if case .list(let items) = value { items } else { [value] }
    }
  }

  private static func read(_ name: String, of object: some PersistentModel) throws -> Any? {
    let model = ModelClass.of(type(of: object))
    guard let property = model.property(stored: name) else {
      throw FormatProblem(reason: "\(model.className) has no property '\(name)'")
    }
    return object[keyPath: property.keyPath]
  }
}
