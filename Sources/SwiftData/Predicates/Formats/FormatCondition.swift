public import Foundation
internal import ManagedModel
internal import StoreRequests

/// An operator of `Predicate` that evaluates a predicate in `NSPredicate`'s format with the values of its variables.
struct FormatCondition<Model: PersistentModel>: StandardPredicateExpression {
  typealias Output = Bool

  let variable: PredicateExpressions.Variable<Model>
  let tree: PredicateTree
  let variables: [String: FormatValue]

  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    let evaluation = FormatEvaluation(subject: .object(try variable.evaluate(bindings)), variables: variables)
    return try evaluation.holds(tree)
  }

  init(variable: PredicateExpressions.Variable<Model>, tree: PredicateTree, variables: [String: FormatValue]) {
    self.variable = variable
    self.tree = tree
    self.variables = variables
  }

  /// Always throws: Foundation for Linux cannot decode predicates.
  init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "a predicate cannot be decoded"))
  }

  /// Always throws: Foundation for Linux cannot encode predicates.
  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "a predicate cannot be encoded"))
  }
}

extension FormatCondition: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let resolver = translation.resolver
    let lowering = FormatLowering(entities: resolver.entities, variables: variables.mapValues { $0.lowered(resolver) })
    do {
      return .value(try lowering.condition(tree, of: resolver.entityName(of: Model.self)))
    } catch let error as FormatError {
      throw UnsupportedExpression(sketch: sketch, reason: "\(error)")
    } catch let error as QueryError {
      // A transient property exists in memory. A property that the model lacks exists nowhere.
      if case .unknownProperty(let name, let entity, _) = error,
        try resolver.entities.isUnstored(name, of: resolver.entities.existingEntity(entity))
      {
        throw UnsupportedExpression(sketch: sketch, reason: "\(error)")
      }
      throw SwiftDataError(.unsupportedPredicate, "the predicate \(sketch) on \(Model.self): \(error)")
    }
  }

  package var sketch: String { tree.format }
}

extension FetchDescriptor {
  /// A descriptor with a predicate in `NSPredicate`'s format and stored names, for predicates that come from a Core
  /// Data model or are made at run time. Not in Apple's framework.
  ///
  ///     let recent = try FetchDescriptor<Book>(
  ///       format: "year > $YEAR AND author.name BEGINSWITH[c] 'a'", ["YEAR": 2000])
  ///
  /// - Parameters:
  ///   - format: the predicate's text.
  ///   - variables: the values of names after `$`: attribute values, objects, identifiers, and lists of these.
  ///   - sortBy: the order of the objects.
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` for an invalid format, or a variable without a value.
  public init(format: String, _ variables: [String: Any?] = [:], sortBy: [SortDescriptor<T>] = []) throws {
    func unsupported(_ reason: String) -> SwiftDataError {
      SwiftDataError(.unsupportedPredicate, "the predicate on \(T.self) in NSPredicate's format \(reason)")
    }
    guard let tree = PredicateParser.predicate(format) else {
      throw unsupported("is not understood: compare key paths, constants and $variables with NSPredicate's operators")
    }
    var values: [String: FormatValue] = [:]
    for (name, value) in variables {
      guard let value = FormatValue(value) else {
        throw unsupported("has a value for $\(name) that is neither an attribute's nor an object")
      }
      values[name] = value
    }
    if let missing = tree.variables.subtracting(values.keys).min() {
      throw unsupported("has the variable $\(missing): give it a value")
    }
    self.init(
      predicate: Predicate { FormatCondition(variable: $0, tree: tree, variables: values) }, sortBy: sortBy)
  }
}

extension PredicateTree {
  /// The names of all variables.
  var variables: Set<String> {
    switch self {
    case .value: []
    case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.variables) }
    case .not(let part): part.variables
    case .comparison(let left, _, let right, _, _): left.variables.union(right.variables)
    }
  }
}

extension ExpressionTree {
  /// The names of all variables.
  var variables: Set<String> {
    switch self {
    case .variable(let name): [name]
    case .keyPath(let base, _): base.variables
    case .function(_, let parts), .list(let parts): parts.reduce(into: []) { $0.formUnion($1.variables) }
    case .subquery(let collection, let variable, let predicate):
      collection.variables.union(predicate.variables.subtracting([variable]))
    case .evaluatedObject, .null, .boolean, .integer, .real, .string, .date: []
    }
  }
}
