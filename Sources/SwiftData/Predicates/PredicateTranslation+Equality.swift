internal import Foundation
internal import StoreRequests

extension PredicateTranslation {
  /// Whether two expressions have equal values; `nil` equals `nil`.
  mutating func equality(
    _ left: any PredicateExpression, _ right: any PredicateExpression, ofConstants: (Any, Any) -> Bool
  ) throws -> FetchExpression {
    switch try (term(left), term(right)) {
    case (.constant(let one), .constant(let other)):
      return .truth(ofConstants(one, other))
    case (.constant(let constant), let term):
      return try equality(of: term, left: right, constant, right: left)
    case (let term, .constant(let constant)):
      return try equality(of: term, left: left, constant, right: right)
    case (.value(let one), .value(let other)):
      return .comparison(.equal, one.definite, other.definite)
    case (.object(let one), .object(let other)):
      return .comparison(.equal, .object(one.path), .object(other.path))
    case (.composite(let one), .composite(let other))
    where one.description.leaves == other.description.leaves && one.description.opaque.isEmpty:
      return .conjunction(zip(one.values, other.values).map { .comparison(.equal, $0, $1) })
    case (let one, let other):
      // Reports an operand that is not a value by itself, before the pair.
      _ = try (value(of: one, left), value(of: other, right))
      throw unsupported(left, "it cannot be compared with \(sketch(right))")
    }
  }

  /// Whether a term has a known value.
  func equality(
    of term: StoreTerm, left: any PredicateExpression, _ constant: Any, right: any PredicateExpression
  ) throws -> FetchExpression {
    guard let content = unwrap(constant) else { return isNil(term) }
    switch term {
    case .value(let value):
      guard let constant = storeConstant(content) else {
        throw unsupported(right, "a value of type \(type(of: content)) cannot be stored in a column")
      }
      return Self.equality(of: value, constant)
    case .object(let object):
      guard let identity = identity(of: content) else {
        throw unsupported(right, "an object can be compared only with an object, its identifier or nil")
      }
      guard let key = identity.key else { return isOneOf([], object.path) }
      return .comparison(.equal, .object(object.path), .objectConstant(key))
    case .composite(let composite):
      let description = composite.description
      // Equal values may have different JSON texts, but none is the absence of one.
      guard let values = try Self.columns(of: content, description), values.count == composite.values.count,
        zip(description.leaves, values).allSatisfy({ !description.opaque.contains($0) || $1 == .null })
      else {
        throw unsupported(
          left,
          description.hasElements
            ? "it can be compared by its elements only"
            : "the store cannot look into the form in which this payload is stored")
      }
      return .conjunction(zip(composite.values, values).map { Self.equality(of: $0, $1) })
    case .constant, .objects, .range, .opaque:
      _ = try value(of: term, left)
      throw unsupported(left, "it cannot be compared with \(sketch(right))")
    }
  }

  /// The columns of a constant; `nil` for a value that no row can hold, which is compared in memory.
  private static func columns(of constant: Any, _ description: CompositeDescription) throws -> [StoreValue]? {
    do { return try description.encode?(constant) } catch is EncodingError { return nil }
  }

  /// Whether a column's value equals a constant. Nothing equals not-a-number.
  static func equality(of value: FetchExpression, _ constant: StoreValue) -> FetchExpression {
    // `x.flatMap { … } == true`, the form of optional chains, becomes a condition, which an index can serve.
    if case .conditional(let test, then: .constant(.null), otherwise: let body) = value, body.isCondition,
      case .integer(let number) = constant
    {
      return .conjunction([.negation(test), number == 0 ? .negation(body) : body])
    }
    if value.isCondition, case .integer(let number) = constant { return number == 0 ? .negation(value) : value }
    return constant.isComparable ? .comparison(.equal, value, .constant(constant)) : .truth(false)
  }

  /// Whether a term is `nil`.
  func isNil(_ term: StoreTerm) -> FetchExpression {
    switch term {
    case .constant(let constant): .truth(unwrap(constant) == nil)
    case .value(let value), .opaque(let value):
      if value.isCondition {
        .truth(false)
      } else if case .constant(let constant) = value {
        .truth(constant == .null)
      } else {
        .isNull(value)
      }
    case .object(let object): isNil(object.path)
    // A saved object has all of its to-many relationships.
    case .objects(let objects): isNil(objects.owner)
    case .composite(let composite): .conjunction(composite.values.map { .isNull($0) })
    case .range: .truth(false)
    }
  }

  /// Whether a path leads to no object. A variable's own row always exists.
  private func isNil(_ path: FetchPath) -> FetchExpression {
    path.steps.isEmpty && path.castTo == nil ? .truth(false) : .isNull(.object(path))
  }

  /// Whether a path leads to one of some rows.
  ///
  /// Without rows it is false, but still names the path: an unsaved change may let it lead to an object without a row, and
  /// memory decides about the objects that read it. The fetched objects themselves have rows.
  func isOneOf(_ rows: [ObjectKey], _ path: FetchPath) -> FetchExpression {
    rows.isEmpty && path.steps.isEmpty && path.variable == .root ? .truth(false) : .objectMembership(path, rows)
  }

  /// The row of a captured identifier or object; `nil` if the value is neither.
  func identity(of value: Any) -> CapturedIdentity? {
    if let identifier = value as? PersistentIdentifier {
      return CapturedIdentity(key: resolver.objectKey(of: identifier))
    }
    if let object = value as? any PersistentModel {
      return CapturedIdentity(key: resolver.objectKey(of: object.persistentModelID))
    }
    return nil
  }
}

/// The row of a captured identifier or object.
struct CapturedIdentity {
  /// `nil` if the store has no such row.
  let key: ObjectKey?
}

extension StoreValue {
  /// Whether the value equals anything at all.
  var isComparable: Bool {
    if case .real(let number) = self { !number.isNaN } else { true }
  }
}
