internal import ErrorReporting
internal import StoreRequests

extension SwiftDataError {
  /// Converts an error of a save, and names the affected objects.
  ///
  /// - Parameter plan: the changes that failed, if the error is of their store.
  init(saving error: any Error, in core: ContextCore, _ plan: SavePlan?) {
    guard let known = error as? SwiftDataError else {
      self.init(storeError: error, of: plan.flatMap { $0.store.isOfClient(error) ? $0.store.configuration.name : nil })
      return
    }
    if let unwritable = known.underlyingError as? UnwritableValueError,
      let problem = unwritable.validationProblem(in: core.unit.all, at: plan?.store.engine.place)
    {
      self.init([problem])
      return
    }
    if case .notUnique(_, _, let clashes)? = known.underlyingError as? SaveError {
      let problems = clashes.compactMap { plan?.validationProblem($0) }
      guard problems.isEmpty else {
        self.init(problems)
        return
      }
    }
    guard case .conflicts(let conflicts)? = known.underlyingError as? SaveError else {
      self = known
      return
    }
    let objects = conflicts.prefix(5).map { conflict in
      let object = core.unit.all.first {
        $0._$state.key == conflict.object.key && EntityTag.entity($0._$state.entity) == conflict.object.entity
          && (plan == nil || EntityTag.store($0._$state.entity) == plan?.store.index)
      }
      let name = object.map { "\($0.persistentModelID)" } ?? "\(conflict.entityName) p\(conflict.object.key)"
      return conflict.actualVersion == nil ? "\(name) (deleted)" : name
    }
    let more = conflicts.count > 5 ? " and \(conflicts.count - 5) more" : ""
    self.init(
      .saveConflict,
      """
      Somebody else has changed or deleted \(objects.joined(separator: ", "))\(more) since they were read. Nothing was \
      saved: roll back, fetch again and repeat the change.
      """, underlyingError: known.underlyingError)
  }
}

extension SavePlan {
  /// The problem of an object whose unique values are taken; `nil` if the clash names no object of this save.
  fileprivate func validationProblem(_ clash: SaveError.Clash) -> ValidationProblem? {
    let object: (any PersistentModel)? =
      switch clash.row {
      case .insertion(let index): inserted.indices.contains(index) ? inserted[index] : nil
      case .update(let key): zip(changes.updates, updated).first { $0.0.object == key }?.1
      }
    guard let object, let property = clash.properties.first else { return nil }
    let others = clash.properties.dropFirst().map(quoted).joined(separator: " and ")
    let values = others.isEmpty ? "has the value" : "has, together with \(others), the values"
    return ValidationProblem(
      object, clash.entityName, property, .uniqueness,
      "\(values) of another object, and must be unique: change one of the two")
  }
}

extension SwiftDataError {
  /// The error with the stores that a save over several stores had committed before it failed.
  func afterSaving(_ stores: [OpenStore]) -> SwiftDataError {
    guard !stores.isEmpty else { return self }
    let names = stores.map(\.configuration.name).joined(separator: ", ")
    return SwiftDataError(
      kind,
      """
      \(explanation ?? "The save failed.") The changes of the store\(stores.count > 1 ? "s" : "") \(names) were committed before and \
      are saved; the other changes are still pending: save again, or roll back.
      """, underlyingError: underlyingError)
  }
}
