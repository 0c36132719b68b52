internal import CoreDataStore
internal import ManagedModel

extension ContextCore {
  /// Checks what a save may not write: counts of relationships, denied deletions, links to other contexts' objects.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure`` that names the entity, the property and the object.
  func validate() throws {
    try refuseStrangers()
    for object in unit.inserted { try validateCounts(of: object, all: true) }
    for object in unit.changed { try validateCounts(of: object, all: false) }
    for object in unit.deleted { try validateDeletion(of: object) }
  }

  private func refuseStrangers() throws {
    for link in unit.strangers {
      guard link.owner._$state._isAttached, let binding = binding(of: link.owner),
        held(link.owner, link.property).contains(where: { $0 === link.stranger })
      else { continue }
      let place = "\(binding.name).\(binding.properties[link.property].name) of \(link.owner.persistentModelID)"
      if container.binding(of: type(of: link.stranger)) == nil {
        throw SwiftDataError(
          .modelValidationFailure,
          "\(place) leads to an object of class \(type(of: link.stranger)), which is not in the container's schema.")
      }
      throw SwiftDataError(
        .modelValidationFailure,
        """
        \(place) leads to \(link.stranger.persistentModelID), which \
        \(link.stranger._$state.status == .orphaned ? "has been deleted" : "belongs to another context"): get it from this \
        context with model(for:).
        """)
    }
  }

  private func held(_ object: any PersistentModel, _ property: Int) -> [any PersistentModel] {
    var reader = LinkReader()
    object._$visit(property, &reader)
    if case .objects(let objects) = reader.content { return objects }
    return []
  }

  private func validateCounts(of object: any PersistentModel, all: Bool) throws {
    guard let binding = binding(of: object), !binding.bounded.isEmpty else { return }
    for property in binding.bounded where all || object._$state.isChanged(property) {
      guard let relationship = binding.properties[property].relationship else { continue }
      let description = relationship.description
      let name = binding.properties[property].name
      let count = targets(of: object, at: property).lazy.filter { !$0.isDeleted }.count
      let problem: String
      if !relationship.isToMany {
        guard count == 0 else { continue }
        problem = "is required, and leads to no object"
      } else if count < description.minimumCount, count > 0 || !description.isOptional {
        problem = "has \(count) objects; at least \(description.minimumCount) are required"
      } else if description.maximumCount > 1, count > description.maximumCount {
        problem = "has \(count) objects; at most \(description.maximumCount) are allowed"
      } else {
        continue
      }
      throw SwiftDataError(
        .modelValidationFailure, "\(binding.name).\(name) of \(object.persistentModelID) \(problem). Nothing was saved."
      )
    }
  }

  private func validateDeletion(of object: any PersistentModel) throws {
    guard let binding = binding(of: object) else { return }
    for property in binding.relationships {
      guard let relationship = binding.properties[property].relationship, relationship.deleteRule == .deny,
        let member = targets(of: object, at: property).first(where: { !$0.isDeleted && $0._$state._isAttached })
      else { continue }
      throw SwiftDataError(
        .modelValidationFailure,
        """
        \(object.persistentModelID) cannot be deleted: the delete rule of \(binding.name).\
        \(binding.properties[property].name) is deny, and it leads to \(member.persistentModelID). Delete that first, or \
        take it out of the relationship. Nothing was saved.
        """)
    }
  }
}
