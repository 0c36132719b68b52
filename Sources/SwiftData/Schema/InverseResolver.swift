/// Finds the inverses of relationships: takes stated inverses, and infers an inverse where only one relationship fits.
///
/// A relationship without a stated inverse gets the only relationship that leads back to its class and is not yet an
/// inverse. If several relationships fit on either side, the relationship is ambiguous: a problem of the schema.
struct InverseResolver {
  struct Side: Hashable {
    let entity: String
    let name: String
  }

  struct Target {
    let entity: String
    let property: ModelClass.Property
  }

  let classes: [String: ModelClass]
  private(set) var pairs: [Side: Target] = [:]
  private(set) var problems: [SchemaProblem] = []

  init(classes: [String: ModelClass]) { self.classes = classes }

  private var ordered: [ModelClass] { classes.values.sorted { $0.entityName < $1.entityName } }

  mutating func resolve() {
    for model in ordered {
      for property in model.ownProperties { stated(property, of: model) }
    }
    for model in ordered {
      for property in model.ownProperties where property.relationshipType != nil { inferred(property, of: model) }
    }
  }

  private mutating func stated(_ property: ModelClass.Property, of model: ModelClass) {
    guard let type = property.relationshipType else { return }
    let destination = ModelClass.of(type.destination)
    if property.has(.selfInverse), model.isKind(of: type.destination) {
      pairs[Side(entity: model.entityName, name: property.persistentName)] = Target(
        entity: model.entityName, property: property)
      return
    }
    guard let keyPath = property.relationship?.inverseKeyPath else { return }
    func wrong(_ reason: String) {
      problems.append(.wrongInverse(class: model.className, property: property.name, reason: reason))
    }
    guard let inverse = destination.property(for: keyPath) else {
      return wrong("is no property of \(destination.className): write a key path of that class.")
    }
    // The inverse may also lead to a subclass of the relationship's class, as in Apple's own models.
    guard let back = inverse.relationshipType,
      model.isKind(of: back.destination) || ModelClass.of(back.destination).isKind(of: model.type)
    else {
      return wrong("\(destination.className).\(inverse.name) does not lead back to \(model.className).")
    }
    let owner = destination.declaringClass(of: inverse)
    let here = Side(entity: model.entityName, name: property.persistentName)
    let there = Side(entity: owner.entityName, name: inverse.persistentName)
    if let other = pairs[there], other.property.keyPath != property.keyPath || other.entity != model.entityName {
      return wrong(
        "\(owner.className).\(inverse.name) is the inverse of \(other.entity).\(other.property.name) already.")
    }
    pairs[here] = Target(entity: owner.entityName, property: inverse)
    pairs[there] = Target(entity: model.entityName, property: property)
  }

  private mutating func inferred(_ property: ModelClass.Property, of model: ModelClass) {
    let here = Side(entity: model.entityName, name: property.persistentName)
    guard pairs[here] == nil, !property.hasNoAnsweringInverse, let type = property.relationshipType else { return }
    let destination = ModelClass.of(type.destination)
    let back = free(in: destination, leadingTo: model).filter { $0.keyPath != property.keyPath }
    guard let only = back.first else { return }
    let rivals = free(in: model, leadingTo: destination)
    guard back.count == 1, rivals.count == 1 || destination.entityName == model.entityName else {
      problems.append(
        .ambiguousInverse(
          class: model.className, property: property.name,
          candidates: (back.count > 1 ? back : [only]).map { "\(destination.className).\($0.name)" }))
      return
    }
    let owner = destination.declaringClass(of: only)
    pairs[here] = Target(entity: owner.entityName, property: only)
    pairs[Side(entity: owner.entityName, name: only.persistentName)] = Target(
      entity: model.entityName, property: property)
  }

  /// Relationships of a class that lead exactly to the destination class and have no inverse yet.
  private func free(in model: ModelClass, leadingTo destination: ModelClass) -> [ModelClass.Property] {
    model.properties.filter { property in
      guard let type = property.relationshipType, !property.hasNoAnsweringInverse else { return false }
      let owner = model.declaringClass(of: property)
      return ModelClass.of(type.destination).entityName == destination.entityName
        && pairs[Side(entity: owner.entityName, name: property.persistentName)] == nil
    }
  }
}

extension ModelClass.Property {
  /// Whether its options state that it has no inverse, or an inverse that does not lead back to it.
  fileprivate var hasNoAnsweringInverse: Bool {
    relationship?.options.contains { option in
      if case .inverse = option.kind { true } else { option == .noInverse }
    } ?? false
  }

  fileprivate func has(_ option: Schema.Relationship.Option) -> Bool { relationship?.options.contains(option) ?? false }
}
