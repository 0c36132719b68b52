internal import CoreDataStore
internal import ManagedModel

extension ContextCore {
  /// Takes objects into the context: the given one, and all that it leads to.
  func insert(_ object: any PersistentModel) {
    exclusiveUse.check()
    switch object._$state.status {
    case .detached: break
    case .deleted where object._$state.owner === self:
      revive(aliases.original(of: object) ?? object)
      return synchronizeAliases(all: true)
    case .inserted, .fault, .clean, .changed, .deleted, .orphaned: return
    }
    if let binding = container.binding(of: type(of: object)), binding.relationships.isEmpty {
      return attach(object, binding)
    }
    var attached: [any PersistentModel] = []
    var waiting = [object]
    while let next = waiting.popLast() {
      guard next._$state.status == .detached, let binding = container.binding(of: type(of: next)) else { continue }
      attach(next, binding)
      attached.append(next)
      for property in binding.relationships.reversed() { waiting += linked(next, property).reversed() }
    }
    for next in attached where !aliases.isEmpty {
      for property in binding(of: next)?.relationships ?? [] { replaceAliases(of: next, at: property) }
    }
    // Members are noted before the other sides are looked at, so that none is added twice.
    for next in attached {
      for property in binding(of: next)?.toMany ?? [] { noteMembers(of: next, property, linked(next, property)) }
    }
    for next in attached {
      guard let binding = binding(of: next) else { continue }
      for property in binding.relationships {
        guard let relationship = binding.properties[property].relationship else { continue }
        for member in linked(next, property) { link(next, property, relationship, to: member) }
      }
    }
  }

  private func attach(_ object: any PersistentModel, _ binding: EntityBinding) {
    if unit.isEmpty { whenDirtied?() }
    object._$state._take(_ModelPlace(owner: self, entity: binding.tag, status: .inserted))
    unit.inserted.append(object)
  }

  private func linked(_ object: any PersistentModel, _ property: Int) -> [any PersistentModel] {
    var reader = LinkReader()
    object._$visit(property, &reader)
    if case .objects(let objects) = reader.content { return objects }
    return []
  }

  private func revive(_ object: any PersistentModel) {
    unit.deleted.remove(object)
    unit.undecided.removeAll { $0 === object }
    if object._$state.changedMask == 0 {
      becomeClean(object)
    } else {
      object._$state.status = .changed
      unit.changed.append(object)
    }
  }

  /// Notes that an object is to go at the next save; a new one goes at once. Delete rules are applied later.
  func delete(_ object: any PersistentModel) {
    exclusiveUse.check()
    guard object._$state.owner === self else { return }
    if let original = aliases.original(of: object) {
      synchronizeAliases()
      delete(original)
      return synchronizeAliases()
    }
    fill(object)
    switch object._$state.status {
    case .detached, .deleted, .orphaned: return
    case .inserted:
      applyDeleteRules(to: object)
      unit.inserted.remove(object)
      object._$state.status = .detached
      object._$state.clearChanges()
      object._$state.owner = nil
      object._$state.entity = 0
    case .clean, .changed, .fault:
      // A fault is to be read yet: its delete rules ask for its values.
      if object._$state.status == .fault { object._$state.isUnread = true }
      if unit.isEmpty { whenDirtied?() }
      unit.changed.remove(object)
      object._$state.status = .deleted
      unit.deleted.append(object)
      unit.undecided.append(object)
    }
  }

  /// Applies the delete rules of everything that was deleted since the last time.
  ///
  /// - Throws: what the store says if it cannot be read what they apply to; they are applied once more then.
  func decideDeletions() throws {
    try reportingReadFailures {
      while !unit.undecided.isEmpty {
        let batch = unit.undecided
        unit.undecided = []
        for object in batch { fill(object) }
        preload(batch)
        for object in batch where object._$state.status == .deleted { applyDeleteRules(to: object) }
        guard readFailure == nil else { return unit.undecided.insert(contentsOf: batch, at: 0) }
      }
    }
  }

  private func applyDeleteRules(to object: any PersistentModel) {
    guard let binding = binding(of: object) else { return }
    for property in binding.relationships {
      guard let relationship = binding.properties[property].relationship, relationship.deleteRule != .noAction,
        relationship.deleteRule == .cascade || relationship.inverse != nil
      else { continue }
      for member in targets(of: object, at: property) {
        if relationship.deleteRule == .cascade { delete(member) }
        // What is denied is decided at the save, when all deletions are known.
        guard relationship.deleteRule != .deny, let inverse = relationship.inverse else { continue }
        release(member, from: object, at: inverse, relationship)
      }
    }
  }

  /// Lets a member no longer lead to an object that goes; the object keeps what it has.
  private func release(
    _ member: any PersistentModel, from object: any PersistentModel, at inverse: Int,
    _ relationship: RelationshipBinding
  ) {
    switch member._$state.status {
    case .detached, .deleted, .orphaned: return
    case .inserted, .fault, .clean, .changed: break
    }
    guard let back = binding(of: member)?.properties[inverse].relationship else { return }
    takeOut(object, of: member, at: inverse, back)
  }

  /// Loads the to-many relationships that the delete rules of many objects ask for, a query each.
  private func preload(_ objects: [any PersistentModel]) {
    guard objects.count > 1 else { return }
    for (_, group) in Dictionary(grouping: objects, by: { $0._$state.entity }) {
      guard let first = group.first, let binding = binding(of: first) else { continue }
      for property in binding.toMany {
        guard let relationship = binding.properties[property].relationship, relationship.deleteRule != .noAction
        else { continue }
        let owners = group.filter { owner in
          var reader = LinkReader()
          owner._$visit(property, &reader)
          if case .unknown = reader.content { return owner._$state.key != 0 }
          return false
        }
        guard !owners.isEmpty else { continue }
        do {
          try loadMembers(of: owners, first: nil, at: property, relationship, binding)
        } catch {
          noteReadFailure(error, "loading \(binding.name).\(binding.properties[property].name)")
        }
      }
    }
  }

  /// Forgets all changes: new objects leave, deleted ones come back, changed ones have what they had.
  func rollback() {
    exclusiveUse.check()
    synchronizeAliases()
    for object in unit.inserted {
      object._$state.status = .detached
      object._$state.clearChanges()
      object._$state.owner = nil
      object._$state.entity = 0
    }
    for object in unit.changed.array + unit.deleted.array { restore(object) }
    unit = UnitOfWork()
    synchronizeAliases(all: true)
  }

  private func restore(_ object: any PersistentModel) {
    let originals = object._$state.extras?.originals ?? [:]
    notifyingAll(object) { object in
      for property in object._$state.changedProperties {
        if let original = originals[property] {
          var restorer = StorageRestorer(original: original)
          object._$visit(property, &restorer)
        } else {
          var emptier = StorageEmptier()
          object._$visit(property, &emptier)
        }
      }
    }
    object._$state.clearChanges()
    becomeClean(object)
  }
}
