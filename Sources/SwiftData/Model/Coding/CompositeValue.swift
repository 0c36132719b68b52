internal import Foundation

/// A structure whose elements are stored as declared; adopted by writing `@Composite` on it. Not in Apple's framework.
///
/// It is nonisolated also where the module's default isolation is the main actor, since rows are read on any thread.
public protocol CompositeValue: Codable, SendableMetatype {
  /// The composite type's name in the model; `nil` for the structure's name.
  static var _$compositeName: String? { get }
  /// The elements in declared order.
  static var _$elements: [_CompositeElement] { get }
}

/// An element of a composite value, as `@Composite` declares it.
public struct _CompositeElement {
  let attribute: Schema.Attribute

  /// An element: its stored name, its type, its initial value and its annotation.
  public init(_ name: String, _ type: any Any.Type, default value: Any?, as annotation: Schema.Attribute) {
    annotation.name = name
    if annotation.originalName.isEmpty { annotation.originalName = name }
    annotation.valueType = type
    annotation.defaultValue = value
    attribute = annotation
  }

  /// An element whose type is that of its initial value.
  public init<Value>(_ name: String, default value: Value, as annotation: Schema.Attribute) {
    self.init(name, Value.self, default: value, as: annotation)
  }

  /// Whether a column has values of the element's type.
  var isColumn: Bool {
    ((attribute.valueType as? any OptionalType.Type)?.wrappedType ?? attribute.valueType) is any _ColumnValue.Type
  }

  /// The composite type of the element; `nil` for an element of another type.
  var composite: (any CompositeValue.Type)? {
    ((attribute.valueType as? any OptionalType.Type)?.wrappedType ?? attribute.valueType) as? any CompositeValue.Type
  }
}

extension CompositeValue {
  /// The columns of a value; a nested composite's columns stand in its place (CD-2.4).
  ///
  /// The recursion ends, since a structure cannot contain itself.
  static func leaves(in outer: [String] = []) -> [AttributeLayout.Leaf] {
    _$elements.flatMap { element -> [AttributeLayout.Leaf] in
      let attribute = element.attribute
      if let composite = element.composite { return composite.leaves(in: outer + [attribute.name]) }
      if attribute.isTransient || attribute.options.contains(where: \.hasNoColumn) { return [] }
      let isOptional = attribute.valueType is any OptionalType.Type
      let type = (attribute.valueType as? any OptionalType.Type)?.wrappedType ?? attribute.valueType
      let column = type as? any _ColumnValue.Type
      return [
        AttributeLayout.Leaf(
          name: attribute.name, type: column ?? Data.self, isOptional: isOptional || column == nil,
          isJSON: column == nil, outer: outer)
      ]
    }
  }
}
