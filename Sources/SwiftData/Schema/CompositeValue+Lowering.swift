internal import Foundation
internal import ManagedModel

extension CompositeValue {
  /// Adds the type's elements to an attribute, exactly as they are declared.
  static func lower(into attribute: inout AttributeDescription) {
    attribute.compositeName = _$compositeName ?? "\(Self.self)"
    attribute.elements = _$elements.map { $0.lowered() }
  }
}

extension _CompositeElement {
  /// The element as the model describes it.
  ///
  /// A raw value has the type of its column, as in a model that was made by Core Data. A value that has no column by itself is JSON.
  fileprivate func lowered() -> AttributeDescription {
    switch storage {
    case .composite, .column: return attribute.lowered()
    case .coded(let type):
      let value = attribute.defaultValue.flatMap { unwrap($0) }.flatMap { storeValue($0) }
      return stored(as: type, default: value.flatMap { type.value(of: $0) }).lowered()
    case .json:
      // The elements of a structure are none of this composite's elements.
      var lowered =
        AttributeLayout.of(attribute.valueType).hasOneColumn ? attribute.lowered() : stored(as: Data.self).lowered()
      lowered.contents = .json
      lowered.initialValue = Self.initialValue(ofJSON: attribute.defaultValue)
      return lowered
    }
  }

  /// The element with values of a column's type.
  private func stored<Column: _ColumnValue>(as type: Column.Type, default value: Any? = nil) -> Schema.Attribute {
    Schema.Attribute(
      name: attribute.name, originalName: attribute.originalName, options: attribute.options,
      valueType: attribute.isOptional ? Column?.self : type, defaultValue: value, hashModifier: attribute.hashModifier)
  }
}
