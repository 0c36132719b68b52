internal import ManagedModel
internal import StoreRequests

/// A required to-one relationship without an inverse.
struct Requirement: Sendable {
  let owner: EntityBinding
  let property: Int
}

extension OpenStore {
  /// The required relationships without an inverse that may lead to objects of an entity.
  func requirements(of tag: Int32) -> [Requirement] {
    guard engine.capabilities.contains(.filter) else { return [] }
    return ownBindings.flatMap { owner in
      owner.bounded.filter { property in
        guard let relationship = owner.properties[property].relationship, !relationship.isToMany,
          relationship.inverse == nil, owner.properties[property].declaringClass == ObjectIdentifier(owner.type)
        else { return false }
        return kinds(of: relationship.destination).contains(tag)
      }.map { Requirement(owner: owner, property: $0) }
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
        let binding = self.binding(EntityTag.make(entity: row.entity, besides: tag)) ?? requirement.owner
        problems.append(
          ValidationProblem(
            makeFault(row.key, binding.tag, binding), binding.name,
            requirement.owner.properties[requirement.property].name,
            .deletion,
            """
            is required, and leads to an object of entity \(self.binding(tag)?.name ?? "?") that this save deletes: delete \
            this object too, or give it another one
            """))
      }
    }
  }

  /// Makes deletions by a predicate by objects if they may delete rows that require an object that is deleted, too.
  func expandBatchesOfRequiringRows() throws {
    guard !unit.batches.isEmpty, !unit.deleted.isEmpty else { return }
    let tags = Set(unit.deleted.lazy.filter { $0._$state.key != 0 }.map { $0._$state.entity })
    let owners = tags.flatMap { tag in requirements(of: tag).flatMap { store(tag).kinds(of: $0.owner.tag) } }
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
    let store = store(requirement.owner.tag)
    let kinds = Set(store.kinds(of: requirement.owner.tag))
    // Of rows that this save changes there, memory decides.
    let settled =
      unit.deleted.filter { kinds.contains($0._$state.entity) }
      + unit.changed.filter { kinds.contains($0._$state.entity) && $0._$state.isChanged(requirement.property) }
    let name = requirement.owner.properties[requirement.property].name
    var condition = FetchExpression.objectMembership(
      FetchPath(relationships: [name]), objects.compactMap { $0._$state.rowKey })
    if !settled.isEmpty {
      condition = .and([
        condition, .not(.objectMembership(FetchPath(), settled.compactMap { $0._$state.rowKey })),
      ])
    }
    let request = FetchRequest(entityName: requirement.owner.name, predicate: condition, limit: 1)
    return try store.reporting { try $0.keys(request) }.first
  }
}
