internal import Foundation
internal import StoreRequests

extension PredicateExpressions.TypeCheck: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    switch try translation.term(input) {
    case .constant(let value): return .constant(value is Desired)
    case .object(let object):
      let desired = try translation.modelClass(Desired.self, of: self)
      return .value(.isKind(object.path, entityName: try translation.resolver.entityName(of: desired)))
    case .value, .objects, .composite, .range, .opaque:
      guard Input.Output.self == Desired.self else {
        throw translation.unsupported(self, "only the class of an object can be tested")
      }
      return .constant(true)
    }
  }

  package var sketch: String { "\(SwiftData.sketch(input)) is \(Desired.self)" }
}

extension PredicateExpressions.ConditionalCast: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    try translation.cast(input, to: Desired.self, by: self)
  }

  package var sketch: String { "(\(SwiftData.sketch(input)) as? \(Desired.self))" }
}

extension PredicateExpressions.ForceCast: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let term = try translation.cast(input, to: Desired.self, by: self)
    translation.require(.negation(translation.isNil(term)))
    return term
  }

  package var sketch: String { "(\(SwiftData.sketch(input)) as! \(Desired.self))" }
}

extension PredicateTranslation {
  /// The model class of a cast. A cast to an optional counts as a cast to its wrapped class.
  fileprivate func modelClass<Desired>(
    _ type: Desired.Type, of expression: any PredicateExpression
  ) throws -> any PersistentModel.Type {
    if let type = type as? any PersistentModel.Type { return type }
    if let type = (type as? any OptionalType.Type)?.wrappedType as? any PersistentModel.Type { return type }
    throw unsupported(expression, "\(type) is not a model class")
  }

  fileprivate mutating func cast<Desired>(
    _ input: any PredicateExpression, to desired: Desired.Type, by expression: any PredicateExpression
  ) throws -> StoreTerm {
    switch try term(input) {
    case .constant(let value): return .constant((value as? Desired) as Any)
    case .object(var object):
      let type = try modelClass(desired, of: expression)
      // A cast to a superclass keeps a cast that the path has.
      if ModelClass.of(object.type).isKind(of: type) { return .object(object) }
      // No object is of two classes of which neither inherits from the other.
      guard ModelClass.of(type).isKind(of: object.type) else { return .constant((nil as Desired?) as Any) }
      object.type = type
      object.path.castTo = try resolver.entityName(of: type)
      return .object(object)
    case .value, .objects, .composite, .range, .opaque:
      throw unsupported(expression, "only objects can be cast")
    }
  }
}
