public import Foundation
internal import StoreRequests

/// The new values that ``ModelContext/update(model:where:includeSubclasses:set:)`` gives to objects. Not in Apple's framework.
public struct ModelUpdate<Model: PersistentModel> {
  var assignments: [PropertyAssignment<Model>] = []

  /// Sets a property of all objects to one value.
  public mutating func set<Value>(_ property: ReferenceWritableKeyPath<Model, Value>, to value: Value) {
    assignments.append(
      PropertyAssignment(
        property: property, constant: { $0[keyPath: property] = value }, lower: nil,
        prepare: { object, _ in { object[keyPath: property] = value } }))
  }

  /// Sets a property of each object to a value that is computed from the object as it was before the update.
  ///
  ///     books.set(\.price, to: #Expression { $0.price * 2 })
  public mutating func set<Value>(
    _ property: ReferenceWritableKeyPath<Model, Value>, to value: Expression<Model, Value>
  ) {
    assign(property, value) { $0 }
  }

  /// Sets an optional property of each object to a value that is computed from the object as it was before the update.
  public mutating func set<Value>(
    _ property: ReferenceWritableKeyPath<Model, Value?>, to value: Expression<Model, Value>
  ) {
    assign(property, value) { $0 }
  }

  private mutating func assign<Value, Result>(
    _ property: ReferenceWritableKeyPath<Model, Value>, _ value: Expression<Model, Result>,
    _ convert: @escaping (Result) -> Value
  ) {
    func evaluation(_ expression: some PredicateExpression<Result>) -> CheckedEvaluation<Result> {
      CheckedEvaluation(of: expression)
    }
    let evaluation = evaluation(value.expression)
    let variable = value.variable
    let isOptional = Result.self is any OptionalType.Type
    assignments.append(
      PropertyAssignment(
        property: property, constant: nil,
        lower: { translation in
          guard isComputable(Value.self) else { return nil }
          translation.bind(variable, to: .object(ObjectTerm(path: FetchPath(), type: Model.self)))
          return try translation.collectingRequirements { translation in
            let result = try translation.value(value.expression)
            // The column would take `NULL` for not-a-number, and for the missing value of a mandatory property.
            translation.require(.disjunction([.negation(.isNull(result)), isOptional ? result.isNil : .truth(false)]))
            return result
          }
        },
        prepare: { object, entityName in
          do {
            let new = convert(try evaluation(PredicateBindings((variable, object))))
            return { object[keyPath: property] = new }
          } catch let error as PredicateError {
            throw SwiftDataError([
              ValidationProblem(
                object, entityName, sketch(property), .value, "cannot be set to a computed value: \(error)")
            ])
          }
        }))
  }
}

/// A new value of one property.
struct PropertyAssignment<Model: PersistentModel> {
  let property: PartialKeyPath<Model>
  /// Sets the property of an object, if the value is the same for all objects.
  let constant: ((Model) -> Void)?
  /// Translates the value for the store, with the condition without which it cannot be computed; `nil` if the store would
  /// compute it otherwise than Swift.
  let lower: ((inout PredicateTranslation) throws -> (result: FetchExpression, requirement: FetchExpression)?)?
  /// Computes the value for an object; the result sets it.
  let prepare: (_ object: Model, _ entityName: String) throws -> () -> Void
}

/// Whether the store computes with values of a type as Swift does, and keeps them in one column as they are.
private func isComputable(_ type: any Any.Type) -> Bool {
  switch type {
  case is Int.Type, is Int8.Type, is Int16.Type, is Int32.Type, is Int64.Type, is UInt8.Type, is UInt16.Type,
    is UInt32.Type, is Double.Type, is Bool.Type, is String.Type, is Date.Type:
    true
  case let type as any OptionalType.Type: isComputable(type.wrappedType)
  default: false
  }
}

extension FetchExpression {
  /// Whether the value is `nil` in Swift. A computed number never is: where it is `NULL`, Swift has not-a-number.
  fileprivate var isNil: FetchExpression {
    switch self {
    case .constant(let constant): .truth(constant == .null)
    case .arithmetic, .negative: .truth(false)
    case .coalesce(let first, let second): .conjunction([first.isNil, second.isNil])
    case .conditional(let test, then: let first, otherwise: let second):
      .disjunction([.conjunction([test, first.isNil]), .conjunction([.negation(test), second.isNil])])
    default: isCondition ? .truth(false) : .isNull(self)
    }
  }
}
