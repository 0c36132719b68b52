import ManagedModel
import PropertyLists

extension KeyedArchiveBuilder {
  /// Adds a predicate; `nil` if it has an operator or an expression whose archived form is not known.
  mutating func predicate(_ tree: PredicateTree) -> Reference? {
    switch tree {
    case .value(let value): return add(value ? .truePredicate : .falsePredicate, [])
    case .not(let part): return compound(0, [part])
    case .and(let parts): return compound(1, parts)
    case .or(let parts): return compound(2, parts)
    case .comparison(let left, let relation, let right, let modifier, let options):
      guard let left = expression(left), let right = expression(right),
        let relation = operatorObject(relation, modifier, options)
      else { return nil }
      return add(
        .comparisonPredicate,
        [
          ("NSLeftExpression", .reference(left)), ("NSPredicateOperator", .reference(relation)),
          ("NSRightExpression", .reference(right)),
        ])
    }
  }

  private mutating func compound(_ type: Int, _ parts: [PredicateTree]) -> Reference? {
    var references: [Reference] = []
    for part in parts {
      guard let reference = predicate(part) else { return nil }
      references.append(reference)
    }
    let list = list(.array, references)
    return add(
      .compoundPredicate, [("NSCompoundPredicateType", .integer(type)), ("NSSubpredicates", .reference(list))])
  }

  private mutating func operatorObject(
    _ relation: PredicateTree.Operator, _ modifier: PredicateTree.Modifier, _ options: PredicateTree.Options
  ) -> Reference? {
    var fields: [(String, Field)] = [
      ("NSModifier", .integer(modifier.rawValue)), ("NSOperatorType", .integer(relation.rawValue)),
    ]
    let archivedClass: ArchivedClass
    switch relation {
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      archivedClass = .comparisonOperator
      fields += [("NSOptions", .integer(options.rawValue)), ("NSVariant", .integer(relation.rawValue))]
    case .equal, .notEqual:
      archivedClass = .equalityOperator
      fields += [("NSNegate", .flag(relation == .notEqual)), ("NSOptions", .integer(options.rawValue))]
    case .in, .contains, .matches, .like:
      archivedClass = relation == .matches ? .matchingOperator : relation == .like ? .likeOperator : .inOperator
      fields.append(("NSFlags", .integer(options.rawValue)))
    case .beginsWith, .endsWith:
      // The place of the match: 0 is the start, 1 is the end.
      archivedClass = .substringOperator
      fields += [("NSFlags", .integer(options.rawValue)), ("NSPosition", .integer(relation == .endsWith ? 1 : 0))]
    case .between: archivedClass = .betweenOperator
    }
    return add(archivedClass, fields)
  }

  mutating func expression(_ tree: ExpressionTree) -> Reference? {
    switch tree {
    case .evaluatedObject: return shared("SELF") { $0.add(.selfExpression, [("NSExpressionType", .integer(1))]) }
    case .variable(let name):
      let name = string(name)
      return add(.variableExpression, [("NSExpressionType", .integer(2)), ("NSVariable", .reference(name))])
    case .null: return constantClass(.null)
    case .boolean(let value): return constant(plain(.boolean(value)))
    case .integer(let value): return constant(plain(.integer(Int128(value))))
    case .real(let value): return constant(plain(.real(value)))
    case .string(let text): return constant(string(text))
    case .date(let seconds): return constant(date(seconds))
    case .keyPath(let base, let path): return keyPath(of: base, path)
    case .function(let name, let arguments):
      guard let references = expressions(arguments) else { return nil }
      let utilities = constantClass(string("_NSPredicateUtilities"))
      // Core Data itself converts `x.@count` to `count:(x)`. Other functions come from a parser, which collects
      // arguments.
      let list = list(name == "count:" ? .array : .mutableArray, references)
      return call(.functionExpression, name, of: utilities, type: 4, list)
    // No archive seen so far contains one.
    case .subquery: return nil
    case .list(let items):
      guard let references = expressions(items) else { return nil }
      let collection = list(.array, references)
      return add(.aggregateExpression, [("NSCollection", .reference(collection)), ("NSExpressionType", .integer(14))])
    }
  }

  private mutating func expressions(_ trees: [ExpressionTree]) -> [Reference]? {
    var references: [Reference] = []
    for tree in trees {
      guard let reference = expression(tree) else { return nil }
      references.append(reference)
    }
    return references
  }

  private mutating func keyPath(of base: ExpressionTree, _ path: String) -> Reference? {
    guard let operand = expression(base) else { return nil }
    let text = string(path)
    let specifier = add(.keyPathSpecifier, [("NSExpressionType", .integer(10)), ("NSKeyPath", .reference(text))])
    let isPlain = base == .evaluatedObject
    let selector = isPlain && !path.contains(".") ? "valueForKey:" : "valueForKeyPath:"
    return call(.keyPathExpression, selector, of: operand, type: isPlain ? 3 : 4, list(.mutableArray, [specifier]))
  }

  private mutating func call(
    _ archivedClass: ArchivedClass, _ selector: String, of operand: Reference, type: Int, _ arguments: Reference
  ) -> Reference {
    let name = string(selector)
    return add(
      archivedClass,
      [
        ("NSArguments", .reference(arguments)), ("NSExpressionType", .integer(type)),
        ("NSOperand", .reference(operand)),
        ("NSSelectorName", .reference(name)),
      ])
  }

  private mutating func constant(_ value: Reference) -> Reference {
    add(.constantExpression, [("NSConstantValue", .reference(value)), ("NSExpressionType", .integer(0))])
  }

  private mutating func constantClass(_ name: Reference) -> Reference {
    add(.constantExpression, [("NSConstantValueClassName", .reference(name)), ("NSExpressionType", .integer(0))])
  }
}
