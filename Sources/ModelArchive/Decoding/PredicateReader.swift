import ManagedModel
import PropertyLists

/// A predicate with its text.
struct ArchivedPredicate {
  let tree: PredicateTree
  let format: String
}

extension ModelDecoder {
  /// A predicate and its text, read once for all properties that share it.
  func predicate(_ object: ArchivedObject) throws -> ArchivedPredicate {
    try object.archive.once(object) {
      let tree = try PredicateReader().predicate($0)
      return ArchivedPredicate(tree: tree, format: tree.format)
    }
  }

  /// The text of a derivation, read once for all copies of its property.
  func derivation(_ object: ArchivedObject) throws -> String {
    try object.archive.once(object) { try PredicateReader().expression($0).derivationText }
  }
}

/// Reads `NSPredicate` and `NSExpression` objects of an archive into trees.
struct PredicateReader {
  func predicate(_ object: ArchivedObject, depth: Int = 0) throws -> PredicateTree {
    try check(depth)
    let chain = object.classChain
    if chain.contains("NSTruePredicate") { return .value(true) }
    if chain.contains("NSFalsePredicate") { return .value(false) }
    if chain.contains("NSCompoundPredicate") {
      let parts = try object.elements("NSSubpredicates").map { try predicate($0, depth: depth + 1) }
      switch (try object.integer("NSCompoundPredicateType"), parts.count) {
      case (0, 1): return .not(parts[0])
      case (1, 1), (2, 1): return parts[0]
      case (1, 2...): return .and(parts)
      case (2, 2...): return .or(parts)
      case (1, 0): return .value(true)
      case (2, 0): return .value(false)
      default: throw ArchiveFault(key: "NSCompoundPredicateType", problem: "is no kind of compound")
      }
    }
    guard chain.contains("NSComparisonPredicate") else {
      throw ArchiveFault(key: "NSPredicate", problem: "is an unknown kind of predicate")
    }
    guard let left = try object.object("NSLeftExpression"), let right = try object.object("NSRightExpression"),
      let relation = try object.object("NSPredicateOperator")
    else { throw ArchiveFault(key: "NSPredicateOperator", problem: "is missing, or an operand of it") }
    guard let type = try relation.integer("NSOperatorType").flatMap(PredicateTree.Operator.init) else {
      throw ArchiveFault(key: "NSOperatorType", problem: "is an unknown operator")
    }
    guard let modifier = PredicateTree.Modifier(rawValue: try relation.integer("NSModifier") ?? 0) else {
      throw ArchiveFault(key: "NSModifier", problem: "is an unknown modifier")
    }
    let options = try relation.integer("NSFlags") ?? relation.integer("NSOptions") ?? 0
    return .comparison(
      try expression(left, depth: depth + 1), type, try expression(right, depth: depth + 1), modifier,
      PredicateTree.Options(rawValue: options))
  }

  func expression(_ object: ArchivedObject, depth: Int = 0) throws -> ExpressionTree {
    try check(depth)
    let chain = object.classChain
    if chain.contains("NSSelfExpression") { return .evaluatedObject }
    if chain.contains("NSVariableExpression") { return .variable(try object.required("NSVariable")) }
    if chain.contains("NSKeyPathSpecifierExpression") {
      return .keyPath(of: .evaluatedObject, try object.required("NSKeyPath"))
    }
    if chain.contains("NSConstantValueExpression") { return try constant(object) }
    if chain.contains("NSAggregateExpression") {
      return .list(try object.elements("NSCollection").map { try expression($0, depth: depth + 1) })
    }
    // No archive seen so far contains one. A wrong guess of its keys would change the result of a fetch.
    if chain.contains("NSSubqueryExpression") {
      throw ArchiveFault(
        key: "NSExpression", problem: "is a SUBQUERY, whose archived form is not known", isUnknown: true)
    }
    guard chain.contains("NSFunctionExpression") else {
      throw ArchiveFault(key: "NSExpression", problem: "is an unknown kind of expression")
    }
    let arguments = try object.elements("NSArguments").map { try expression($0, depth: depth + 1) }
    if chain.contains("NSKeyPathExpression") {
      guard case .keyPath(_, let path)? = arguments.first, let base = try object.object("NSOperand") else {
        throw ArchiveFault(key: "NSArguments", problem: "is no key path")
      }
      return .keyPath(of: try expression(base, depth: depth + 1), path)
    }
    let selector = try object.required("NSSelectorName")
    guard let receiver = try object.object("NSOperand"), !(try isClassOfFunctions(receiver)) else {
      return .function(selector, arguments)
    }
    return .function("FUNCTION", [try expression(receiver, depth: depth + 1), .string(selector)] + arguments)
  }

  /// Whether the receiver of a function is the class that has `NSExpression`'s own functions.
  private func isClassOfFunctions(_ receiver: ArchivedObject) throws -> Bool {
    guard receiver.isKind(of: "NSConstantValueExpression") else { return false }
    return try receiver.object("NSConstantValue") == nil
  }

  private func constant(_ object: ArchivedObject) throws -> ExpressionTree {
    guard let value = try object.object("NSConstantValue") else {
      return try object.string("NSConstantValueClassName").map(ExpressionTree.string) ?? .null
    }
    if let text = value.text {
      try value.chargeText("NSConstantValue")
      return .string(text)
    }
    switch value.content {
    case .boolean(let flag): return .boolean(flag)
    case .integer(let number):
      if let number = Int64(exactly: number) { return .integer(number) }
    case .real(let number): return .real(number)
    default:
      if let seconds = try value.seconds() { return .date(seconds) }
      if value.isKind(of: "NSNull") { return .null }
      if let number = try value.decimal(), let real = Double("\(number)") { return .real(real) }
      if let items = try value.elements(as: "NSConstantValue") {
        return .list(
          try items.compactMap { item in
            if let text = item.text {
              try item.chargeText("NSConstantValue")
              return .string(text)
            }
            if case .integer(let number) = item.content { return Int64(exactly: number).map(ExpressionTree.integer) }
            throw ArchiveFault(key: "NSConstantValue", problem: "is an unknown kind of constant")
          })
      }
    }
    throw ArchiveFault(key: "NSConstantValue", problem: "is an unknown kind of constant")
  }

  private func check(_ depth: Int) throws {
    guard depth <= ModelDecoder.maximumDepth else {
      throw ArchiveFault(key: "NSPredicate", problem: "is nested too deeply")
    }
  }
}
