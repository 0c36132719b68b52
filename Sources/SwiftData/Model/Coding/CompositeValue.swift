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

  /// How the values of the element are stored.
  enum Storage {
    /// As the columns of a composite in this place.
    case composite(any CompositeValue.Type)
    case column(any _ColumnValue.Type)
    /// As the raw value, or as the single value that the type encodes itself as.
    case coded(any _ColumnValue.Type)
    case json
  }

  var storage: Storage {
    let type = unwrapped(attribute.valueType)
    if let composite = type as? any CompositeValue.Type { return .composite(composite) }
    if attribute.options.contains(.codable) { return .json }
    if let column = type as? any _ColumnValue.Type { return .column(column) }
    switch AttributeLayout.of(type).shape {
    case .rawValue(let column): return .coded(column)
    case .singleValue(let leaf): return .coded(leaf.type)
    case .column, .cases, .variants, .structure, .collection, .list, .unsupported: return .json
    }
  }

  /// The composite type of the element; `nil` for an element of another type.
  var composite: (any CompositeValue.Type)? {
    unwrapped(attribute.valueType) as? any CompositeValue.Type
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
      var leaf: AttributeLayout.Leaf
      switch element.storage {
      case .column(let type): leaf = .init(name: attribute.name, type: type, isOptional: isOptional, isJSON: false)
      case .coded(let type):
        leaf = .init(name: attribute.name, type: type, isOptional: isOptional, isJSON: false)
        leaf.isCoded = true
      case .json, .composite: leaf = .init(name: attribute.name, type: Data.self, isOptional: true, isJSON: true)
      }
      leaf.memberType = unwrapped(attribute.valueType)
      leaf.outer = outer
      return [leaf]
    }
  }
}
