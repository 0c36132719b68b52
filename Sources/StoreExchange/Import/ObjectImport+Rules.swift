import CoreDataStore
import ErrorReporting
import ManagedModel
import StoreRequests

/// The model's rules for imported objects, as Core Data validates them. `isLenient` waives them.
extension ObjectImport {
  /// Rules that the import does not evaluate: predicates that only a program can add to a model.
  package var rulesNotEvaluated: [String] {
    guard !options.isLenient else { return [] }
    return entities.entities.flatMap { entity in
      entity.properties.flatMap { property -> [String] in
        guard case .attribute(let attribute) = property,
          entities.declaringEntityName(of: property.name, in: entity) == entity.name
        else { return [] }
        return attribute.description.validationRules.map {
          "attribute \(quoted(attribute.description.name)) of entity \(quoted(entity.name)) has a rule that is not"
            + " evaluated: \($0.predicate)"
        }
      }
    }
  }

  // MARK: Attributes

  /// Checks values of an attribute, or of a composite's elements, from a line or from the model's defaults.
  func check(_ values: [ExportValue], of attribute: StoreAttribute, in entity: StoreEntity, at offset: Int) throws {
    let description = attribute.description
    // The save computes derived values.
    guard !options.isLenient, description.derivation == nil else { return }
    if values.allSatisfy({ $0 == .null }), !description.isOptional {
      throw ImportFault(
        "attribute \(quoted(description.name)) of entity \(quoted(entity.name)) has no value, and the model requires one",
        "give it one, or import with --lenient", at: offset)
    }
    if attribute.leaves.count > 1 { try checkIsOneCase(values, of: attribute, in: entity, at: offset) }
    for (leaf, value) in zip(attribute.leaves, values) {
      guard let rule = value.brokenRule(of: leaf.attribute) else { continue }
      let name = leaf.path.joined(separator: ".")
      throw ImportFault(
        "attribute \(quoted(name)) of entity \(quoted(entity.name)) \(rule)",
        "correct the value, or import with --lenient", at: offset)
    }
  }

  /// Checks that an enumeration without raw values has one case.
  private func checkIsOneCase(
    _ values: [ExportValue], of attribute: StoreAttribute, in entity: StoreEntity, at offset: Int
  ) throws {
    let cases = Set(attribute.description.caseNames)
    let given = zip(attribute.leaves, values).filter { $1 != .null }.map(\.0.attribute.name).filter(cases.contains)
    guard given.count > 1 else { return }
    throw ImportFault(
      "attribute \(quoted(attribute.description.name)) of entity \(quoted(entity.name)) is two cases at once,"
        + " \(quoted(given[0])) and \(quoted(given[1]))",
      "keep the one that is meant, or import with --lenient", at: offset)
  }

  // MARK: Relationships

  func checkMayBeNull(_ relationship: RelationshipDescription, of entity: StoreEntity, at offset: Int) throws {
    guard !options.isLenient, !relationship.isOptional else { return }
    throw ImportFault(
      "relationship \(quoted(relationship.name)) of entity \(quoted(entity.name)) leads to no object, and the model"
        + " requires one",
      "give it one, or import with --lenient", at: offset)
  }

  /// The to-many relationships of each entity with a minimum or maximum count, by the entity's number.
  static func countRules(of entities: EntityTable) -> [Int32: [StoreRelationship]] {
    var rules: [Int32: [StoreRelationship]] = [:]
    for entity in entities.entities {
      let bounded = entity.properties.compactMap { property -> StoreRelationship? in
        guard case .toMany(let relationship) = property else { return nil }
        let description = relationship.description
        return description.minimumCount > 0 || description.maximumCount > 1 ? relationship : nil
      }
      if !bounded.isEmpty { rules[entity.number] = bounded }
    }
    return rules
  }

  /// Records an object whose relationship a line changed, to check its minimum and maximum count at the end.
  ///
  /// - Parameter object: its entity may be a superentity of the actual one.
  func note(_ object: ObjectKey?, line: Int, _ context: ImportContext) throws {
    guard let object, !countRules.isEmpty, !options.isLenient else { return }
    try context.index.note(object, line: line)
  }

  /// Records a required to-one relationship that a line has emptied from the other side. A later line may give it another object, so
  /// it is checked at the end.
  func noteEmptied(
    _ property: String, of object: ObjectKey, in entity: StoreEntity, line: Int, _ context: ImportContext
  ) throws {
    guard !options.isLenient, case .toOne(let relationship)? = entity.property(named: property),
      !relationship.description.isOptional
    else { return }
    try context.index.noteEmptied(property, of: object, line: line)
  }

  /// Checks the relationships that lines have changed in objects of other lines and of the store, after the last write.
  ///
  /// - Throws: ``ImportError``
  func checkRelationships(_ context: ImportContext) throws {
    try checkEmptied(context)
    try checkCounts(context)
  }

  private func checkEmptied(_ context: ImportContext) throws {
    try context.index.eachEmptied { object, property, line in
      let entity = try entities.existingEntity(object.entity)
      guard case .toOne(let relationship)? = entity.property(named: property), let key = relationship.keyProperty,
        try context.state.key(of: key, in: object) == nil
      else { return }
      throw ImportError(
        line: line,
        problem: "relationship \(quoted(property)) of \(ObjectName(entity: entity.name, key: object.key)) leads to no"
          + " object any more, and the model requires one",
        remedy: "give it another object in a line of its own, or import with --lenient")
    }
  }

  private func checkCounts(_ context: ImportContext) throws {
    try context.index.eachNoted { object, line in
      // A key in a real store may refer to no row.
      guard let number = try context.state.row(object)?.entity, let entity = entities.entity(numbered: number)
      else { return }
      for relationship in countRules[number] ?? [] {
        let description = relationship.description
        let members = try context.state.members(
          of: ColumnSelection(entityName: entity.name, propertyName: description.name))
        let count = try context.state.objects(members, of: object.key).count
        let rule: String
        if count < description.minimumCount, count > 0 || !description.isOptional {
          rule = "at least \(description.minimumCount) are required"
        } else if description.maximumCount > 1, count > description.maximumCount {
          rule = "at most \(description.maximumCount) are allowed"
        } else {
          continue
        }
        throw ImportError(
          line: line,
          problem: "relationship \(quoted(description.name)) of an object of entity \(quoted(entity.name)) has \(count)"
            + " objects; \(rule)",
          remedy: "correct the objects of the relationship, or import with --lenient")
      }
    }
  }
}
