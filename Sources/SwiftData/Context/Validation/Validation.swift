internal import ErrorReporting
internal import ManagedModel
internal import StoreRequests

extension ContextCore {
  /// Checks the changes before a save: attribute rules, relationship counts, denied deletions, and links to other
  /// contexts.
  ///
  /// Of changed objects it checks the changed properties only.
  ///
  /// - Throws: the error of the first refused insertion; otherwise ``SwiftDataError/modelValidationFailure`` with all
  ///   problems, each with its entity, property and object.
  func validate() throws {
    if let refusal = unit.refused.first { throw refusal.error }
    try refuseStrangers()
    withinAction { releaseDeletedDestinations() }
    var problems: [ValidationProblem] = []
    for object in unit.inserted { validate(object, all: true, &problems) }
    for object in unit.changed { validate(object, all: false, &problems) }
    // The store checks the deletions of batch changes.
    let inBatches = Set(unit.batches.flatMap(\.objects).map { ObjectIdentifier($0) })
    for object in unit.deleted where !inBatches.contains(ObjectIdentifier(object)) {
      validateDeletion(of: object, &problems)
    }
    try validateRequiredDestinations(&problems)
    if !problems.isEmpty { throw SwiftDataError(problems) }
  }

  private func validate(_ object: any PersistentModel, all: Bool, _ problems: inout [ValidationProblem]) {
    guard let binding = binding(of: object) else { return }
    if !all { refuseValuesFromDefaults(of: object, binding, &problems) }
    validateRules(of: object, binding, all: all, &problems)
    validateCounts(of: object, binding, all: all, &problems)
  }

  /// Refuses values that may be computed from a default that a getter returned because the row could not be read.
  private func refuseValuesFromDefaults(
    of object: any PersistentModel, _ binding: EntityBinding, _ problems: inout [ValidationProblem]
  ) {
    guard let extras = object._$state.extras, !extras.assignedUnread.isEmpty else { return }
    // Properties that could not be read themselves come first.
    func rank(_ property: Int) -> (Int, Int) { (extras.unreadable[property] == nil ? 1 : 0, property) }
    for (property, cause) in extras.assignedUnread.sorted(by: { rank($0.key) < rank($1.key) }) {
      problems.append(
        ValidationProblem(
          object, binding.name, binding.properties[property].name, .value,
          "was assigned after a value of this object could not be read (\(cause)): roll back, read it again, and repeat the change"
        ))
    }
  }

  func isGone(_ object: any PersistentModel) -> Bool {
    object._$state.status == .deleted || !object._$state._isAttached
  }

  private func validateRules(
    of object: any PersistentModel, _ binding: EntityBinding, all: Bool, _ problems: inout [ValidationProblem]
  ) {
    guard !binding.rules.isEmpty else { return }
    let model = ModelClass.of(type(of: object))
    for (index, rules) in binding.rules where all || object._$state.isChanged(index) {
      guard let property = model.property(at: index) else { continue }
      for broken in rules.broken(by: object[keyPath: property.keyPath]) {
        problems.append(ValidationProblem(object, binding.name, property.name, .value, broken))
      }
    }
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
      if link.stranger._$state.owner === self, link.stranger._$state._isAttached {
        throw SwiftDataError(
          .modelValidationFailure,
          "\(place) leads to \(link.stranger.persistentModelID) in another store: a relationship cannot leave its store."
        )
      }
      let belonging =
        link.stranger._$state.status == .orphaned
        ? "has been deleted: get it from this context with model(for:)" : belonging(of: link.stranger)
      throw SwiftDataError(
        .modelValidationFailure, "\(place) leads to \(link.stranger.persistentModelID), which \(belonging).")
    }
  }

  func held(_ object: any PersistentModel, _ property: Int) -> [any PersistentModel] {
    var reader = LinkReader()
    object._$visit(property, &reader)
    if case .objects(let objects) = reader.content { return objects }
    return []
  }

  private func validateCounts(
    of object: any PersistentModel, _ binding: EntityBinding, all: Bool, _ problems: inout [ValidationProblem]
  ) {
    for property in binding.bounded where all || object._$state.isChanged(property) {
      guard let relationship = binding.properties[property].relationship else { continue }
      let description = relationship.description
      let name = binding.properties[property].name
      let count = targets(of: object, at: property).lazy.filter { !self.isGone($0) }.count
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
      problems.append(ValidationProblem(object, binding.name, name, .count, problem))
    }
  }

  private func validateDeletion(of object: any PersistentModel, _ problems: inout [ValidationProblem]) {
    guard let binding = binding(of: object) else { return }
    for property in binding.relationships {
      guard let relationship = binding.properties[property].relationship, relationship.deleteRule == .deny else {
        continue
      }
      let members = targets(of: object, at: property).filter { !$0.isDeleted && $0._$state._isAttached }
      guard !members.isEmpty else { continue }
      let entities = Set(members.compactMap { self.binding(of: $0)?.name }).sorted().map(quoted)
      let (count, them) = members.count == 1 ? ("1 object", "it") : ("\(members.count) objects", "them")
      problems.append(
        ValidationProblem(
          object, binding.name, binding.properties[property].name, .deletion,
          """
          denies the deletion: the delete rule is deny, and it leads to \(count) of entity \
          \(entities.joined(separator: " and ")) — delete \(them) first, or take \(them) out of the relationship
          """))
    }
  }
}
