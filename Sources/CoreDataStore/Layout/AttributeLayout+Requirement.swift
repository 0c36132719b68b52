import ManagedModel

extension AttributeLayout {
  /// Whether each row must have a value in a column, which no trigger computes.
  ///
  /// In the model, the only element of an enumeration is optional even if the attribute is not.
  func requiresValue(in column: AttributeColumn) -> Bool {
    let isOptional = description.isEnumeration ? description.isOptional : column.attribute.isOptional
    return !isOptional && description.derivation == nil && column.attribute.derivation == nil
  }
}
