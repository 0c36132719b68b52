import ManagedModel

/// Writes predicates in `NSPredicate`'s format as the body of `#Predicate`.
///
/// Returns nothing for a predicate that `#Predicate` cannot express with the same meaning, or that compares values of
/// unknown or different types.
struct PredicateSource {
  let graph: EntityGraph
  let names: SwiftNames

  struct Translation {
    /// The expression, with `$0` as the object.
    var condition: String
    var parameters: [InitializerDeclaration.Parameter]
    /// Lines before the predicate that read values from parameters.
    var captures: [String]
  }

  /// A variable of a format and its name as a parameter.
  struct Variable: Hashable {
    let name: String
    let spelled: String
  }

  func translate(_ format: String, entity: String) -> Translation? {
    guard let tree = PredicateParser.predicate(format) else { return nil }
    var writer = Writer(graph: graph, names: names, entity: entity, variables: Self.variables(of: tree))
    guard var condition = writer.condition(tree) else { return nil }
    // Only the writer puts `$0` outside of literals, and a condition without it has no literals either.
    if !condition.contains("$0") { condition = "_ in \(condition)" }
    let parameters = writer.variables.map { variable in
      writer.types[variable].map { InitializerDeclaration.Parameter(name: variable.spelled, type: $0) }
    }
    guard parameters.allSatisfy({ $0 != nil }) else { return nil }
    return Translation(condition: condition, parameters: parameters.compactMap(\.self), captures: writer.captures)
  }

  /// The key path of a sort descriptor: `\\.author?.name`.
  func sortPath(_ path: String, _ entity: String) -> String? {
    let writer = Writer(graph: graph, names: names, entity: entity, variables: [])
    guard let found = writer.walk(path, from: entity, subject: "\\"), case .attribute = found.end else { return nil }
    return found.source
  }

  /// The variables of a format in the order of their first use. A name in capitals becomes lowercase.
  static func variables(of tree: PredicateTree) -> [Variable] {
    var found: [Variable] = []
    var claims = NameClaims(reserved: ["self", "descriptor"])
    // The variables that subqueries bind.
    var bound: [String] = []
    func note(_ expression: ExpressionTree) {
      switch expression {
      case .variable(let name):
        guard !found.contains(where: { $0.name == name }), !bound.contains(name) else { return }
        let plain = name == name.uppercased() ? name.lowercased() : SwiftIdentifier.lowercased(name)
        let wanted = SwiftIdentifier.propertyName(plain, fallback: "value")
        found.append(Variable(name: name, spelled: claims.claim(wanted)))
      case .keyPath(let base, _): note(base)
      case .function(_, let parts), .list(let parts): parts.forEach(note)
      case .subquery(let collection, let variable, let predicate):
        note(collection)
        bound.append(variable)
        note(predicate)
        bound.removeLast()
      default: break
      }
    }
    func note(_ tree: PredicateTree) {
      switch tree {
      case .comparison(let left, _, let right, _, _):
        note(left)
        note(right)
      case .and(let parts), .or(let parts): parts.forEach(note)
      case .not(let part): note(part)
      case .value: break
      }
    }
    note(tree)
    return found
  }
}

/// Writes one predicate.
private struct Writer {
  let graph: EntityGraph
  let names: SwiftNames
  let entity: String
  let variables: [PredicateSource.Variable]
  var types: [PredicateSource.Variable: TypeReference] = [:]
  var captures: [String] = []

  /// The end of a key path.
  enum End {
    case attribute(AttributeDescription)
    case object(String)
    case objects(RelationshipDescription, rest: String)
  }

  struct Path {
    var source: String
    /// Whether the whole path may be `nil`.
    var isOptional: Bool
    /// Whether the last property may be `nil`. A member after it continues the optional chain.
    var isLastOptional: Bool
    var end: End

    /// The operator between the path and a member.
    var link: String { isLastOptional ? "?." : "." }
    /// The path as one operand, in parentheses if it is an optional chain.
    var value: String { isOptional && source.contains("?") ? "(\(source))" : source }
  }

  init(graph: EntityGraph, names: SwiftNames, entity: String, variables: [PredicateSource.Variable]) {
    self.graph = graph
    self.names = names
    self.entity = entity
    self.variables = variables
  }

  // MARK: Conditions

  mutating func condition(_ tree: PredicateTree) -> String? { condition(tree, of: entity) }

  private mutating func condition(_ tree: PredicateTree, of entity: String) -> String? {
    switch tree {
    case .value(let value): return "\(value)"
    case .and(let parts): return joined(parts, " && ", entity)
    case .or(let parts): return joined(parts, " || ", entity)
    case .not(let part): return condition(part, of: entity).map { "!(\($0))" }
    case .comparison(let left, let relation, let right, let modifier, let options):
      if case .boolean(let first) = left, case .boolean(let second) = right, modifier == .direct {
        return relation == .equal ? "\(first == second)" : relation == .notEqual ? "\(first != second)" : nil
      }
      guard case .keyPath(.evaluatedObject, let path) = left, let found = walk(path, from: entity, subject: "$0") else {
        return nil
      }
      switch found.end {
      case .attribute(let attribute):
        return modifier == .direct ? compare(found, attribute, relation, right, options) : nil
      case .object(let destination):
        return modifier == .direct && options.isEmpty ? compare(found, destination, relation, right) : nil
      case .objects(let relationship, let rest):
        guard modifier == .any, !rest.isEmpty else { return nil }
        let inner = PredicateTree.comparison(.keyPath(of: .evaluatedObject, rest), relation, right, .direct, options)
        guard let condition = condition(inner, of: relationship.destinationEntityName) else { return nil }
        return found.isOptional
          ? "(\(found.source)\(found.link)contains { \(condition) } ?? false)"
          : "\(found.source).contains { \(condition) }"
      }
    }
  }

  private mutating func joined(_ parts: [PredicateTree], _ word: String, _ entity: String) -> String? {
    var written: [String] = []
    for part in parts {
      guard let text = condition(part, of: entity) else { return nil }
      if case .or = part {
        written.append("(\(text))")
      } else if case .and = part {
        written.append("(\(text))")
      } else {
        written.append(text)
      }
    }
    return written.joined(separator: word)
  }

  private mutating func compare(
    _ path: Path, _ attribute: AttributeDescription, _ relation: PredicateTree.Operator, _ right: ExpressionTree,
    _ options: PredicateTree.Options
  ) -> String? {
    guard let type = AttributeTypes.type(of: attribute.type) else { return nil }
    if right == .null {
      guard path.isOptional, relation == .equal || relation == .notEqual else { return nil }
      return "\(path.source) \(relation.symbol) nil"
    }
    if !options.isEmpty {
      guard attribute.type == .string, options.suffix == "[cd]", relation == .contains,
        let value = value(right, type)
      else { return nil }
      return call(path, "localizedStandardContains(\(value))")
    }
    switch relation {
    case .equal, .notEqual: return value(right, type).map { "\(path.source) \(relation.symbol) \($0)" }
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      // Swift does not order Booleans, bytes and URLs, and orders strings in another way than Core Data.
      guard ![.boolean, .string, .binary, .uri, .uuid].contains(attribute.type), let value = value(right, type) else {
        return nil
      }
      return path.isOptional
        ? "(\(path.value).flatMap { $0 \(relation.symbol) \(value) } ?? false)"
        : "\(path.source) \(relation.symbol) \(value)"
    case .contains, .beginsWith:
      guard attribute.type == .string, let value = value(right, type) else { return nil }
      return call(path, relation == .contains ? "contains(\(value))" : "starts(with: \(value))")
    case .in:
      guard !path.isOptional, case .variable(let name) = right,
        let list = parameter(name, TypeReference(name: type.name, isArray: true, module: type.module))
      else { return nil }
      return "\(list).contains(\(path.source))"
    case .matches, .like, .endsWith, .between: return nil
    }
  }

  private func call(_ path: Path, _ call: String) -> String {
    path.isOptional ? "(\(path.source)\(path.link)\(call) ?? false)" : "\(path.source).\(call)"
  }

  /// Compares objects by their identifiers, because Apple's framework supports this.
  private mutating func compare(
    _ path: Path, _ destination: String, _ relation: PredicateTree.Operator, _ right: ExpressionTree
  ) -> String? {
    guard relation == .equal || relation == .notEqual else { return nil }
    if right == .null { return path.isOptional ? "\(path.source) \(relation.symbol) nil" : nil }
    guard case .variable(let name) = right,
      let object = parameter(name, TypeReference(name: names.type(of: destination)))
    else { return nil }
    let identifier = "\(object)Identifier".replacing("`", with: "")
    let capture = "let \(identifier) = \(object).persistentModelID"
    if !captures.contains(capture) { captures.append(capture) }
    return "\(path.source)\(path.link)persistentModelID \(relation.symbol) \(identifier)"
  }

  // MARK: Values

  private mutating func value(_ expression: ExpressionTree, _ type: TypeReference) -> String? {
    switch (expression, type.name) {
    case (.variable(let name), _): return parameter(name, type)
    case (.string(let text), "String"): return ExpressionRenderer.string(text)
    case (.boolean(let value), "Bool"): return "\(value)"
    case (.integer(let number), "Bool") where number == 0 || number == 1: return "\(number == 1)"
    case (.integer(let number), "Int16"): return Int16(exactly: number).map { "\($0)" }
    case (.integer(let number), "Int32"): return Int32(exactly: number).map { "\($0)" }
    case (.integer, "Int64"), (.integer, "Double"), (.integer, "Float"), (.integer, "Decimal"):
      guard case .integer(let number) = expression else { return nil }
      return ExpressionRenderer.render(.integer(number))
    case (.real(let number), "Double"), (.real(let number), "Float"): return number.isFinite ? "\(number)" : nil
    default: return nil
    }
  }

  /// The parameter of a variable; `nil` if another use of the variable has another type.
  private mutating func parameter(_ name: String, _ type: TypeReference) -> String? {
    guard let variable = variables.first(where: { $0.name == name }) else { return nil }
    if let known = types[variable], known != type { return nil }
    types[variable] = type
    return ExpressionRenderer.identifier(variable.spelled)
  }

  // MARK: Paths

  /// Follows persistent names from an entity; `nil` if a name is unknown, or its property is stored in a form that a
  /// predicate cannot read.
  func walk(_ path: String, from entity: String, subject: String) -> Path? {
    var entity = entity
    var source = subject
    var isOptional = false
    var link = "."
    let components = ExpressionTree.components(of: path)
    for (index, name) in components.enumerated() {
      guard let property = graph.property(name, of: entity), !property.isTransient else { return nil }
      source += link + ExpressionRenderer.identifier(names.property(name, of: entity))
      link = property.isOptional ? "?." : "."
      isOptional = isOptional || property.isOptional
      let isLast = index == components.count - 1
      switch property {
      case .attribute(let attribute):
        guard isLast, attribute.type != .composite else { return nil }
        return Path(
          source: source, isOptional: isOptional, isLastOptional: property.isOptional, end: .attribute(attribute))
      case .relationship(let relationship) where relationship.isToMany:
        let rest = components[(index + 1)...].joined(separator: ".")
        return Path(
          source: source, isOptional: isOptional, isLastOptional: property.isOptional,
          end: .objects(relationship, rest: rest))
      case .relationship(let relationship):
        if isLast {
          return Path(
            source: source, isOptional: isOptional, isLastOptional: property.isOptional,
            end: .object(relationship.destinationEntityName))
        }
        entity = relationship.destinationEntityName
      case .fetchedProperty: return nil
      }
    }
    return nil
  }
}
