internal import ManagedModel

extension CompositeValue {
  /// Adds the type's elements to an attribute, exactly as they are declared.
  static func lower(into attribute: inout AttributeDescription) {
    attribute.compositeName = _$compositeName ?? "\(Self.self)"
    attribute.elements = _$elements.map { element in
      var lowered = element.attribute.lowered()
      // Whatever a type would be by itself, here it is JSON unless a column has its type.
      if element.composite == nil {
        lowered.contents = element.isColumn ? nil : .json
        if !element.isColumn { lowered.initialValue = initialValue(ofJSON: element) }
      }
      return lowered
    }
  }
}
