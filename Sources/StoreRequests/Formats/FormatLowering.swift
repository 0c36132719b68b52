package import ManagedModel

extension FetchExpression {
  /// Makes the condition on the rows of an entity from a predicate in `NSPredicate`'s format.
  ///
  ///     let adults = try FetchExpression(format: "age >= 18", of: "Person", in: store.entities)
  ///
  /// - Parameter convertsTexts: whether texts stand for dates (ISO 8601), UUIDs and bytes (hexadecimal), as in a predicate that a
  ///   person typed.
  /// - Throws: ``FormatError`` or ``QueryError``, which name the property and offer the nearest name.
  package init(
    format: String, of entityName: String, in entities: EntityTable,
    variables: [String: PredicateValue<ObjectKey?>] = [:], convertsTexts: Bool = false
  ) throws {
    guard let tree = PredicateParser.predicate(format) else { throw FormatError.notUnderstood }
    self = try FormatLowering(entities: entities, variables: variables, convertsTexts: convertsTexts)
      .condition(tree, of: entityName)
  }
}

/// Turns predicates in `NSPredicate`'s format into fetch expressions over the entities of a store.
package struct FormatLowering {
  package typealias Value = PredicateValue<ObjectKey?>

  let entities: EntityTable
  let variables: [String: Value]
  let convertsTexts: Bool
  /// The numbers of variables here begin above the numbers that `#Predicate`'s operators use.
  private var variableCount = 10_000
  /// The rows of subqueries by the names of their variables.
  private var named: [String: Row] = [:]

  package init(entities: EntityTable, variables: [String: Value] = [:], convertsTexts: Bool = false) {
    self.entities = entities
    self.variables = variables
    self.convertsTexts = convertsTexts
  }

  /// The row at the beginning of key paths.
  struct Row {
    var path: FetchPath
    var entity: StoreEntity
  }

  /// The meaning of an expression.
  indirect enum Term {
    case constant(Value)
    case value(FetchExpression, Kind)
    case object(FetchPath)
    /// The members of a to-many relationship, and the path from each member on.
    case objects(ToManyPath)
    case list([Term])
  }

  /// The kinds of values; values of one kind can be compared.
  enum Kind { case number, date, text, uuid, bytes, opaque }

  struct ToManyPath {
    let owner: FetchPath
    let name: String
    let destination: StoreEntity
    /// The variable of a member, in the condition and in other expressions on the member.
    let variable: FetchVariable
    /// The condition of a subquery on the members.
    var condition: FetchExpression?
    var rest: [String]

    var element: Row { Row(path: FetchPath(variable), entity: destination) }

    var count: FetchExpression { .count(owner, relationship: name, variable: variable, condition: condition) }
  }

  /// Makes the condition on the rows of an entity from a parsed predicate.
  ///
  /// - Throws: ``FormatError``, ``QueryError``
  package func condition(_ tree: PredicateTree, of entityName: String) throws -> FetchExpression {
    var lowering = self
    return try lowering.condition(tree, of: Row(path: FetchPath(), entity: entities.existingEntity(entityName)))
  }

  // MARK: Predicates

  private mutating func condition(_ tree: PredicateTree, of row: Row) throws -> FetchExpression {
    switch tree {
    case .value(let value): return .truth(value)
    case .and(let parts): return .conjunction(try parts.map { try condition($0, of: row) })
    case .or(let parts): return .disjunction(try parts.map { try condition($0, of: row) })
    case .not(let part): return .negation(try condition(part, of: row))
    case .comparison(let left, let relation, let right, let modifier, let options):
      let comparison = Comparison(relation: relation, options: options, tree: tree)
      return try compare(term(left, of: row, tree), term(right, of: row, tree), modifier, comparison)
    }
  }

  private mutating func compare(
    _ left: Term, _ right: Term, _ modifier: PredicateTree.Modifier, _ comparison: Comparison
  ) throws -> FetchExpression {
    switch (left, right) {
    case (.constant(let one), .constant(let other)):
      return .truth(try one.holds(comparison.relation, other, modifier, comparison.options))
    case (.objects(let many), _) where modifier != .direct || comparison.relation == .contains:
      // `CONTAINS` is true if any member, or value, equals the other side.
      let inner = modifier == .direct ? comparison.with(.equal) : comparison
      return try quantified(many, modifier == .all) { lowering, element in
        var rest = PredicateTree.Modifier.direct
        if case .objects = element { rest = modifier }
        return try lowering.compare(element, right, rest, inner)
      }
    case (_, .objects(let many)) where comparison.relation == .in && modifier == .direct:
      return try quantified(many, false) { lowering, element in
        try lowering.compare(left, element, .direct, comparison.with(.equal))
      }
    case (.objects(let many), _), (_, .objects(let many)):
      throw comparison.unsupported(.toManyNeedsQuantifier(many.name))
    case (.list, _), (.constant(.list), _):
      throw comparison.unsupported(.listComparison)
    default:
      guard modifier == .direct else { throw comparison.unsupported(.quantifierNeedsToMany) }
      return try comparison.condition(left, right, convertsTexts: convertsTexts)
    }
  }

  /// A condition on any member of a relationship, or on all members.
  private mutating func quantified(
    _ many: ToManyPath, _ isForAll: Bool, _ test: (inout FormatLowering, Term) throws -> FetchExpression
  ) throws -> FetchExpression {
    let test = try test(&self, walk(many.rest, from: many.element))
    let exists = FetchExpression.exists(
      many.owner, relationship: many.name, variable: many.variable,
      condition: .conjunction([many.condition, isForAll ? .negation(test) : test].compactMap(\.self)))
    return isForAll ? .not(exists) : exists
  }

  /// The row of a subquery's variable; `nil` for a variable with a value.
  func row(named name: String) -> Row? { named[name] }

  /// The objects of a relationship for which a predicate holds; `SELF` and paths from it stay those of the outer row.
  mutating func subquery(
    of collection: Term, _ variable: String, _ predicate: PredicateTree, outer row: Row
  ) throws -> Term {
    guard case .objects(var many) = collection, many.rest.isEmpty else {
      throw FormatError.unsupported(part: predicate.format, reason: .aggregateNeedsToMany("SUBQUERY"))
    }
    let outer = named
    defer { named = outer }
    named[variable] = many.element
    let condition = try self.condition(predicate, of: row)
    many.condition = .conjunction([many.condition, condition].compactMap(\.self))
    return .objects(many)
  }

  mutating func makeVariable() -> FetchVariable {
    variableCount += 1
    return FetchVariable(variableCount)
  }
}

/// A comparison, and the part of the predicate that errors name.
struct Comparison {
  var relation: PredicateTree.Operator
  let options: PredicateTree.Options
  let tree: PredicateTree

  func with(_ relation: PredicateTree.Operator) -> Comparison {
    var copy = self
    copy.relation = relation
    return copy
  }

  func unsupported(_ reason: FormatError.Reason) -> FormatError { .unsupported(part: tree.format, reason: reason) }
}
