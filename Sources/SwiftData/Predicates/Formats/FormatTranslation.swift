internal import CoreDataStore
internal import Foundation
internal import ManagedModel

/// Finds out what a predicate in `NSPredicate`'s format means to the store.
struct FormatTranslation {
  let variables: [String: FormatValue]
  let resolver: any ModelResolver
  /// Numbers for the rows that quantifiers range over, apart from those of `#Predicate`'s operators.
  private var variableCount = 10_000

  /// A row that key paths begin at.
  struct Row {
    var path: FetchPath
    var type: any PersistentModel.Type
  }

  init(variables: [String: FormatValue], resolver: any ModelResolver) {
    self.variables = variables
    self.resolver = resolver
  }

  private enum Term {
    case constant(FormatValue)
    case value(FetchExpression)
    case object(FetchPath)
    /// Objects of a to-many relationship, and the path on from each.
    case objects(FetchPath, relationship: String, any PersistentModel.Type, rest: [String])
  }

  private func unsupported(_ tree: PredicateTree, _ reason: String) -> UnsupportedExpression {
    UnsupportedExpression(sketch: tree.format, reason: reason)
  }

  // MARK: Predicates

  mutating func condition(_ tree: PredicateTree, of row: Row) throws -> FetchExpression {
    switch tree {
    case .value(let value): return .truth(value)
    case .and(let parts): return .conjunction(try parts.map { try condition($0, of: row) })
    case .or(let parts): return .disjunction(try parts.map { try condition($0, of: row) })
    case .not(let part): return .negation(try condition(part, of: row))
    case .comparison(let left, let relation, let right, let modifier, let options):
      if !left.speaksOfObject, !right.speaksOfObject {
        return .truth(try FormatEvaluation(subject: .none, variables: variables).holds(tree))
      }
      let first = try term(left, of: row, tree)
      let second = try term(right, of: row, tree)
      if case .objects(let owner, let relationship, let type, let rest) = first {
        return try quantified(tree, owner, relationship, type, rest, modifier)
      }
      guard modifier == .direct else { throw unsupported(tree, "its left side is no to-many relationship") }
      return try compare(first, relation, second, options, tree)
    }
  }

  /// `ANY` and `ALL` over the objects of a relationship: the comparison is asked of each.
  private mutating func quantified(
    _ tree: PredicateTree, _ owner: FetchPath, _ relationship: String, _ type: any PersistentModel.Type,
    _ rest: [String], _ modifier: PredicateTree.Modifier
  ) throws -> FetchExpression {
    guard case .comparison(_, let relation, let right, _, let options) = tree, modifier != .direct,
      !right.speaksOfObject
    else { throw unsupported(tree, "a to-many relationship is asked with ANY or ALL only, and of constants") }
    variableCount += 1
    let variable = FetchVariable(variableCount)
    let left: ExpressionTree =
      rest.isEmpty ? .evaluatedObject : .keyPath(of: .evaluatedObject, rest.joined(separator: "."))
    let inner = PredicateTree.comparison(left, relation, right, .direct, options)
    let condition = try condition(inner, of: Row(path: FetchPath(variable), type: type))
    let exists = FetchExpression.exists(
      owner, relationship: relationship, variable: variable,
      condition: modifier == .any ? condition : .negation(condition))
    return modifier == .any ? exists : .not(exists)
  }

  private func compare(
    _ left: Term, _ relation: PredicateTree.Operator, _ right: Term, _ options: PredicateTree.Options,
    _ tree: PredicateTree
  ) throws -> FetchExpression {
    switch (left, right) {
    case (.object(let path), .constant(let value)), (.constant(let value), .object(let path)):
      return try compare(path, relation, value, tree)
    case (.object(let path), .object(let other)):
      guard relation == .equal || relation == .notEqual else { throw unsupported(tree, "objects have no order") }
      return .comparison(relation == .equal ? .equal : .notEqual, .object(path), .object(other))
    case (.value(let value), .constant(.list(let items))):
      return try compare(value, relation, items, options, tree)
    case (.value, _), (.constant, .value):
      return try compare(value(left, tree), relation, value(right, tree), options, tree)
    default: throw unsupported(tree, "its sides cannot be compared by the store")
    }
  }

  private func compare(
    _ path: FetchPath, _ relation: PredicateTree.Operator, _ value: FormatValue, _ tree: PredicateTree
  ) throws -> FetchExpression {
    switch (relation, value) {
    case (.equal, .stored(.null)): return .isNull(.object(path))
    case (.notEqual, .stored(.null)): return .not(.isNull(.object(path)))
    case (.equal, .object(let identifier)):
      return .comparison(.equal, .object(path), .objectConstant(resolver.objectKey(of: identifier)))
    case (.notEqual, .object(let identifier)):
      return .not(.comparison(.equal, .object(path), .objectConstant(resolver.objectKey(of: identifier))))
    case (.in, .list(let items)):
      return .objectMembership(
        path, items.compactMap { if case .object(let item) = $0 { resolver.objectKey(of: item) } else { nil } })
    default: throw unsupported(tree, "an object is compared with an object, a list of objects, or nil only")
    }
  }

  private func compare(
    _ value: FetchExpression, _ relation: PredicateTree.Operator, _ items: [FormatValue],
    _ options: PredicateTree.Options, _ tree: PredicateTree
  ) throws -> FetchExpression {
    let stored = items.compactMap { if case .stored(let item) = $0 { item } else { nil } }
    guard stored.count == items.count, options.isEmpty else { throw unsupported(tree, "its list is of other values") }
    switch relation {
    case .in: return .membership(value, stored)
    case .between where stored.count == 2:
      return .and([
        .comparison(.greaterOrEqual, value, .constant(stored[0])),
        .comparison(.lessOrEqual, value, .constant(stored[1])),
      ])
    default: throw unsupported(tree, "a list is asked with IN and BETWEEN only")
    }
  }

  private func compare(
    _ left: FetchExpression, _ relation: PredicateTree.Operator, _ right: FetchExpression,
    _ options: PredicateTree.Options, _ tree: PredicateTree
  ) throws -> FetchExpression {
    if !options.isEmpty {
      // Only this has a function in the store that ignores both; the rest is done in memory.
      guard relation == .contains, options.suffix == "[cd]" else {
        throw unsupported(tree, "the store compares texts as they are")
      }
      return .string(.localizedStandardContains, [left, right])
    }
    switch relation {
    case .equal: return .comparison(.equal, left, right)
    case .notEqual: return .comparison(.notEqual, left, right)
    case .lessThan: return .comparison(.less, left, right)
    case .lessThanOrEqual: return .comparison(.lessOrEqual, left, right)
    case .greaterThan: return .comparison(.greater, left, right)
    case .greaterThanOrEqual: return .comparison(.greaterOrEqual, left, right)
    case .contains: return .string(.contains, [left, right])
    case .in: return .string(.contains, [right, left])
    case .beginsWith: return .string(.starts, [left, right])
    case .endsWith: return .string(.ends, [left, right])
    case .matches, .like, .between: throw unsupported(tree, "the store has no such operator")
    }
  }

  private func value(_ term: Term, _ tree: PredicateTree) throws -> FetchExpression {
    switch term {
    case .value(let value): return value
    case .constant(.stored(let value)): return .constant(value)
    default: throw unsupported(tree, "one of its sides is no value of a column")
    }
  }

  // MARK: Expressions

  private func term(_ expression: ExpressionTree, of row: Row, _ tree: PredicateTree) throws -> Term {
    if !expression.speaksOfObject {
      return .constant(try FormatEvaluation(subject: .none, variables: variables).value(expression))
    }
    switch expression {
    case .evaluatedObject: return .object(row.path)
    case .keyPath(.evaluatedObject, let path):
      return try walk(ExpressionTree.components(of: path), from: row, tree)
    default: throw unsupported(tree, "the store has no such function")
    }
  }

  /// Follows stored names along to-one relationships to an attribute, an object, or a to-many relationship.
  private func walk(_ names: [String], from row: Row, _ tree: PredicateTree) throws -> Term {
    var row = row
    for (index, name) in names.enumerated() {
      let model = ModelClass.of(row.type)
      guard let property = model.property(stored: name) else {
        throw unsupported(tree, "\(model.className) has no property '\(name)'")
      }
      let rest = Array(names[(index + 1)...])
      switch try resolver.route(of: property.keyPath, from: row.type).first {
      case .toOne(let name, let type):
        row.path.relationships.append(name)
        row.type = type
        if rest.isEmpty { return .object(row.path) }
      case .toMany(let name, let type):
        if rest == ["@count"] {
          return .value(.count(row.path, relationship: name, variable: FetchVariable(variableCount), condition: nil))
        }
        return .objects(row.path, relationship: name, type, rest: rest)
      case .attribute(let name, let element, let isOpaque):
        guard rest.isEmpty, !isOpaque else { throw unsupported(tree, "'\(name)' is not one value of a column") }
        return .value(.attribute(row.path, name: name, element: element))
      case .composite(let name, _, let description):
        guard description.leaves.contains(rest) else {
          throw unsupported(tree, "'\(name)' is asked for one of its elements only")
        }
        return .value(.attribute(row.path, name: name, element: rest))
      case .identifier, nil: throw unsupported(tree, "'\(name)' is no stored property")
      }
    }
    return .object(row.path)
  }
}
