internal import ManagedModel
internal import StoreRequests

/// A required to-one relationship without an inverse.
struct Requirement: Sendable {
  /// The tag of the entity that declares the relationship.
  let owner: Int32
  let entityName: String
  /// The relationship's name in the store's model.
  let name: String
  /// The relationship's index in the owner's class; `nil` if the schema leaves out the class.
  let property: Int?
}

extension OpenStore {
  /// The required relationships without an inverse that may lead to objects of an entity.
  ///
  /// Entities of the store that the schema leaves out count, too.
  func requirements(of tag: Int32) -> [Requirement] {
    guard engine.capabilities.contains(.filter) else { return [] }
    let own = Dictionary(uniqueKeysWithValues: ownBindings.map { ($0.name, $0) })
    return engine.entities.entities.flatMap { owner in
      owner.properties.compactMap { property in
        guard case .toOne(let relationship) = property, relationship.inverse == nil,
          !relationship.description.isOptional, relationship.declaringEntityName == owner.name,
          kinds(of: EntityTag.make(entity: relationship.destinationNumber, besides: tag)).contains(tag)
        else { return nil }
        return Requirement(
          owner: EntityTag.make(entity: owner.number, besides: tag), entityName: owner.name, name: property.name,
          property: own[owner.name]?.index(of: property.name))
      }
    }
  }
}

// Relationships without inverse: a delete rule does not find the objects that lead to a deleted one.
extension ContextCore {
  /// Refuses the deletion of objects to which rows would still refer by a required relationship.
  ///
  /// Cost: one query for each such relationship to a deleted object's class. A store that cannot filter is not asked.
  /// The engines check deletions by a predicate.
  func validateRequiredDestinations(_ problems: inout [ValidationProblem]) throws {
    let groups = Dictionary(grouping: unit.deleted.filter { $0._$state.key != 0 }) { $0._$state.entity }
    for (tag, objects) in groups.sorted(by: { $0.key < $1.key }) {
      for requirement in requirements(of: tag) {
        guard let row = try rowRequiring(objects, requirement) else { continue }
        let store = store(tag)
        guard let identifier = store.identifier(of: row) else { continue }
        let isLeftOut = requirement.property == nil
        let remedy =
          (isLeftOut ? "add its class, which the schema leaves out, and " : "")
          + "delete this object too, or give it another one"
        problems.append(
          ValidationProblem(
            identifier, identifier.entityName, requirement.name, .deletion,
            "is required, and leads to an object of entity \(binding(tag)?.name ?? "?") that this save deletes: \(remedy)"
          ))
      }
    }
  }

  /// Makes deletions by a predicate by objects if they may delete rows that require an object that is deleted, too.
  func expandBatchesOfRequiringRows() throws {
    guard !unit.batches.isEmpty, !unit.deleted.isEmpty else { return }
    let tags = Set(unit.deleted.lazy.filter { $0._$state.key != 0 }.map { $0._$state.entity })
    let owners = tags.flatMap { tag in requirements(of: tag).flatMap { store(tag).kinds(of: $0.owner) } }
    if unit.batches.contains(where: { !$0.scope.deleted.isDisjoint(with: owners) }) { try expandBatches() }
  }

  func requirements(of tag: Int32) -> [Requirement] {
    if let known = requirements[tag] { return known }
    let found = store(tag).requirements(of: tag)
    requirements[tag] = found
    return found
  }

  /// A row that would refer to a deleted object after the save.
  private func rowRequiring(_ objects: [any PersistentModel], _ requirement: Requirement) throws -> ObjectKey? {
    let store = store(requirement.owner)
    let kinds = Set(store.kinds(of: requirement.owner))
    // Of rows that this save changes there, memory decides.
    let settled =
      unit.deleted.filter { kinds.contains($0._$state.entity) }
      + unit.changed.filter { object in
        kinds.contains(object._$state.entity) && requirement.property.map { object._$state.isChanged($0) } == true
      }
    var condition = FetchExpression.objectMembership(
      FetchPath(relationships: [requirement.name]), objects.compactMap { $0._$state.rowKey })
    if !settled.isEmpty {
      condition = .and([
        condition, .not(.objectMembership(FetchPath(), settled.compactMap { $0._$state.rowKey })),
      ])
    }
    let request = FetchRequest(entityName: requirement.entityName, predicate: condition, limit: 1)
    return try store.reporting { try $0.keys(request) }.first
  }
}
