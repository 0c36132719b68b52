package import ManagedModel

extension RelationshipMatching {
  /// Whether the old rows of an entity had all properties of a uniqueness constraint.
  ///
  /// - Parameter constraint: names of properties, or paths of a structure's members, which are separated by dots.
  package func origin(of constraint: [String], in entity: String) -> MigrationObstacle.PropertyOrigin {
    let isFormer = constraint.allSatisfy { path in
      sources(of: entity).allSatisfy { hadElement(at: path.split(separator: ".").map(String.init), source: $0) }
    }
    return isFormer ? .formerProperty : .newProperty
  }

  private func hadElement(at path: [String], source: (new: String, old: String)) -> Bool {
    guard let name = path.first, let former = properties[source.new]?[name] else { return false }
    guard case .attribute(let new)? = matching.destination.property(name, of: source.new),
      case .attribute(let old)? = matching.source.property(former, of: source.old)
    else { return true }
    return new.formerPath(of: path, in: old) != nil
  }
}
