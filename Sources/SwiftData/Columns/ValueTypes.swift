/// `Optional`, to recognise optional types at run time.
protocol OptionalType {
  static var wrappedType: Any.Type { get }
  static var emptyValue: Self { get }
  /// The value inside, if there is one.
  var wrappedValue: Any? { get }
}

/// The type that an optional wraps; the type itself if it is no optional.
func unwrapped(_ type: Any.Type) -> Any.Type { (type as? any OptionalType.Type)?.wrappedType ?? type }

extension Optional: OptionalType {
  static var wrappedType: Any.Type { Wrapped.self }
  static var emptyValue: Wrapped? { nil }
  var wrappedValue: Any? { self }
}

/// `Array`, to recognise array types at run time.
protocol ArrayValue {
  static var elementType: Any.Type { get }
  static var empty: Self { get }
  /// An array of one element; `nil` for a value of another type.
  static func holding(_ element: Any) -> Self?
}

extension Array: ArrayValue {
  static var elementType: Any.Type { Element.self }
  static var empty: [Element] { [] }
  static func holding(_ element: Any) -> [Element]? { (element as? Element).map { [$0] } }
}

/// `Set` and `Dictionary`, to recognise these types at run time.
protocol EmptyCollectionValue {
  static var empty: Self { get }
}

extension Set: EmptyCollectionValue { static var empty: Set<Element> { [] } }
extension Dictionary: EmptyCollectionValue { static var empty: [Key: Value] { [:] } }

/// The destination and the multiplicity of a relationship, read off its Swift type.
struct RelationshipType {
  let destination: any PersistentModel.Type
  let isToMany: Bool
  let isOptional: Bool

  /// Returns `nil` for the type of an attribute.
  init?(_ type: Any.Type) {
    let optional = type as? any OptionalType.Type
    let unwrapped = optional?.wrappedType ?? type
    isOptional = optional != nil
    if let model = unwrapped as? any PersistentModel.Type {
      destination = model
      isToMany = false
    } else if let array = unwrapped as? any ArrayValue.Type, let model = array.elementType as? any PersistentModel.Type
    {
      destination = model
      isToMany = true
    } else {
      return nil
    }
  }
}
