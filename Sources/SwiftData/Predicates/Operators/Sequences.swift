internal import Foundation
internal import StoreRequests

extension PredicateExpressions.SequenceContains: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let members = try translation.term(sequence)
    let wanted = try translation.term(element)
    switch (members, wanted) {
    case (.constant(let members as LHS.Output), .constant(let wanted as RHS.Output)):
      return .constant(members.contains(wanted))
    case (.constant(let members as LHS.Output), _):
      return .value(try translation.membership(of: wanted, element, in: members, sequence))
    case (.objects(let objects), .constant(let wanted)):
      guard let identity = unwrap(wanted).flatMap({ translation.identity(of: $0) }) else { return .constant(false) }
      let row = FetchPath(objects.variable)
      let test =
        identity.key.map { FetchExpression.comparison(.equal, .object(row), .objectConstant($0)) }
        ?? translation.isOneOf([], row)
      return .value(objects.filtered(by: test).exists)
    case (.objects(let objects), .object(let wanted)):
      let row = FetchExpression.object(FetchPath(objects.variable))
      return .value(objects.filtered(by: .comparison(.equal, row, .object(wanted.path))).exists)
    default:
      if case .opaque(let list) = members, translation.resolver.capabilities.contains(.collections) {
        return .value(.contains(list, element: try translation.value(of: wanted, element)))
      }
      _ = try translation.value(of: members, sequence)
      throw translation.unsupported(self, "the store cannot look into \(LHS.Output.self)")
    }
  }

  package var sketch: String { "\(SwiftData.sketch(sequence)).contains(\(SwiftData.sketch(element)))" }
}

extension PredicateExpressions.SequenceContainsWhere: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    switch try translation.term(sequence) {
    case .objects(let objects):
      return .value(try translation.filter(objects, variable, test).exists)
    case .constant(let members as LHS.Output):
      return .value(try translation.condition(for: members, sequence, variable, test, areAllNeeded: false))
    case let other:
      _ = try translation.value(of: other, sequence)
      throw translation.unsupported(self, "the store cannot look into \(LHS.Output.self)")
    }
  }

  package var sketch: String { "\(SwiftData.sketch(sequence)).contains { \(SwiftData.sketch(test)) }" }
}

extension PredicateExpressions.SequenceAllSatisfy: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    switch try translation.term(sequence) {
    case .objects(let objects):
      translation.bind(variable, to: .object(translation.member(of: objects)))
      let condition = try translation.completeCondition(test)
      return .value(.negation(objects.filtered(by: .negation(condition)).exists))
    case .constant(let members as LHS.Output):
      return .value(try translation.condition(for: members, sequence, variable, test, areAllNeeded: true))
    case let other:
      _ = try translation.value(of: other, sequence)
      throw translation.unsupported(self, "the store cannot look into \(LHS.Output.self)")
    }
  }

  package var sketch: String { "\(SwiftData.sketch(sequence)).allSatisfy { \(SwiftData.sketch(test)) }" }
}

extension PredicateExpressions.Filter: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    switch try translation.term(sequence) {
    case .objects(let objects): return .objects(try translation.filter(objects, variable, filter))
    case let other:
      _ = try translation.value(of: other, sequence)
      throw translation.unsupported(self, "the store cannot look into \(LHS.Output.self)")
    }
  }

  package var sketch: String { "\(SwiftData.sketch(sequence)).filter { \(SwiftData.sketch(filter)) }" }
}

extension PredicateTranslation {
  /// An object among the objects of a relationship.
  fileprivate func member(of objects: ObjectsTerm) -> ObjectTerm {
    ObjectTerm(path: FetchPath(objects.variable), type: objects.type)
  }

  /// The objects that pass a test.
  fileprivate mutating func filter<Output>(
    _ objects: ObjectsTerm, _ variable: PredicateExpressions.Variable<Output>, _ test: any PredicateExpression
  ) throws -> ObjectsTerm {
    bind(variable, to: .object(member(of: objects)))
    return objects.filtered(by: try completeCondition(test))
  }

  /// A test written out for each element of a captured collection.
  fileprivate mutating func condition<Members: Sequence>(
    for members: Members, _ expression: any PredicateExpression,
    _ variable: PredicateExpressions.Variable<Members.Element>, _ test: any PredicateExpression, areAllNeeded: Bool
  ) throws -> FetchExpression {
    var tests = ElementTests(areAllNeeded: areAllNeeded)
    for member in members {
      bind(variable, to: .constant(member))
      tests.add(try completeCondition(test))
      guard tests.count <= Self.expansionLimit else { throw unsupportedExpansion(expression) }
    }
    return tests.condition
  }

  /// Whether a captured collection contains the value of a term.
  fileprivate func membership(
    of term: StoreTerm, _ element: any PredicateExpression, in members: some Sequence,
    _ sequence: any PredicateExpression
  ) throws -> FetchExpression {
    switch term {
    case .value(let value):
      var constants: [StoreValue] = []
      for member in members {
        guard let content = unwrap(member) else {
          constants.append(.null)
          continue
        }
        guard let constant = storeConstant(content) else {
          throw unsupported(sequence, "a value of type \(type(of: content)) cannot be stored in a column")
        }
        if constant.isComparable { constants.append(constant) }
      }
      return constants.isEmpty ? .truth(false) : .membership(value, constants)
    case .object(let object):
      var keys: [ObjectKey] = []
      var matchesNil = false
      for member in members {
        guard let content = unwrap(member) else {
          matchesNil = true
          continue
        }
        if let key = identity(of: content)?.key { keys.append(key) }
      }
      let isMember = isOneOf(keys, object.path)
      return matchesNil ? .disjunction([isNil(term), isMember]) : isMember
    case .composite:
      return .disjunction(
        try bounded(members, sequence).map { try equality(of: term, left: element, $0, right: sequence) })
    case .constant, .objects, .range, .opaque:
      _ = try value(of: term, element)
      throw unsupported(element, "it cannot be searched for in \(sketch(sequence))")
    }
  }

  private func bounded<Members: Sequence>(
    _ members: Members, _ expression: any PredicateExpression
  ) throws -> [Members.Element] {
    let bounded = Array(members.prefix(Self.expansionLimit + 1))
    guard bounded.count <= Self.expansionLimit else { throw unsupportedExpansion(expression) }
    return bounded
  }

  private func unsupportedExpansion(_ expression: any PredicateExpression) -> any Error {
    unsupported(expression, "it has more than \(Self.expansionLimit) elements")
  }
}
