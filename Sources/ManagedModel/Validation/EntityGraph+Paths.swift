extension EntityGraph {
  /// Whether an index can have an expression as an element: the object itself, its entity, or a path to one column.
  package func canIndex(_ expression: String, of entity: String) -> Bool {
    if ["self", "entity", "self.entity"].contains(expression.lowercased()) { return true }
    switch property(at: expression, of: entity) {
    case .attribute(let attribute)?:
      return !attribute.isTransient && (attribute.type != .composite || attribute.isEnumeration)
    case .relationship(let relationship)?: return !relationship.isToMany && !relationship.isTransient
    case .fetchedProperty?, nil: return false
    }
  }

  /// Like ``property(_:of:)``, but the path may lead into composites: `author.year`.
  package func property(at path: String, of entity: String) -> PropertyDescription? {
    if let property = property(path, of: entity) { return property }
    var components = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
    guard components.count > 1, let first = components.popFirst(),
      case .attribute(var attribute)? = property(first, of: entity)
    else { return nil }
    for component in components {
      guard let element = attribute.elements.first(where: { $0.name == component }) else { return nil }
      attribute = element
    }
    return .attribute(attribute)
  }
}
