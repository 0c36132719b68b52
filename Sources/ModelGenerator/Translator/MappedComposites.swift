import ManagedModel

/// Copies of structures from one version to the next, whose types differ even if their elements are the same.
struct MappedComposites {
  let source: VersionParts
  let destination: VersionParts

  /// The expression that copies a structure; `nil` if an element of the new structure has no equal one in the old structure.
  func copy(_ text: String, of old: AttributeDescription, as new: AttributeDescription) -> String? {
    guard old.type == .composite, new.type == .composite else { return nil }
    let (former, composite) = (SwiftNames.composite(of: old), SwiftNames.composite(of: new))
    let formerNames = source.names.elements(of: former)
    var arguments: [String] = []
    for (element, name) in zip(composite.elements, destination.names.elements(of: composite)) {
      guard let position = former.elements.firstIndex(where: { $0.name == element.name }) else { return nil }
      let equal = former.elements[position]
      let path = "\(text).\(ExpressionRenderer.identifier(formerNames[position]))"
      guard equal.type == element.type, element.isOptional || !equal.isOptional else { return nil }
      var value = path
      if element.type == .composite {
        guard let inner = copy(equal.isOptional ? "$0" : path, of: equal, as: element) else { return nil }
        value = equal.isOptional ? "\(path).map({ \(inner) })" : inner
      } else if AttributeTypes.type(of: element.type) == nil {
        return nil
      }
      arguments.append("\(ExpressionRenderer.label(name)): \(value)")
    }
    return "\(destination.schema.name).\(destination.names.type(of: composite))(\(arguments.joined(separator: ", ")))"
  }
}
