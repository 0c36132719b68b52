/// The deletions that an enumeration's closure makes, as far as they may delete objects whose turn comes later.
///
/// Delete rules wait for the next fetch or save, which applies those of many objects at once. Some deletions cannot wait here, because they
/// may delete the next object: those whose cascades can reach the enumerated class, and those by a predicate that concerns it.
final class EnumeratedDeletions {
  private let core: ContextCore
  /// The tags of the enumerated class and its subclasses.
  private let kinds: Set<Int32>
  /// Whether the cascades of an entity's objects reach the class.
  private var reaching: [Int32: Bool] = [:]
  private var isWaiting = false
  private var listener = 0

  init<Model: PersistentModel>(of type: Model.Type, in core: ContextCore) throws {
    self.core = core
    kinds = Set(try core.container.existingBindings(of: type).flatMap { core.store($0.tag).kinds(of: $0.tag) })
    let hearBatch = { [unowned self] in isWaiting = true }
    listener = core.changeStream.addListener(hearBatch: hearBatch) { [unowned self] change in
      guard case .deleted(let object) = change, !isWaiting else { return }
      isWaiting = reaches(from: object._$state.entity)
    }
  }

  /// Applies the delete rules that may concern the next object.
  ///
  /// - Throws: the store's error if the members of deleted objects cannot be read.
  func apply() throws {
    guard isWaiting else { return }
    isWaiting = false
    if core.unit.batches.contains(where: { !$0.scope.deleted.isDisjoint(with: kinds) }) { try core.expandBatches() }
    try core.decideDeletions(keepingValues: true)
  }

  func end() { core.changeStream.removeListener(listener) }

  private func reaches(from tag: Int32) -> Bool {
    if let known = reaching[tag] { return known }
    var scope = BatchScope()
    // A store without the class of an entity may delete any object.
    let isReached = !scope.addDeletions([tag], in: core.store(tag)) || !scope.cascaded.isDisjoint(with: kinds)
    reaching[tag] = isReached
    return isReached
  }
}
