internal import StoreRequests

/// The rows of a fetch of objects.
final class ObjectRowOrigin: RowOrigin {
  private let rows: any ObjectRows
  private let plan: RowPlan
  private let store: OpenStore
  /// The reader's number for the first selected column.
  private let firstSelected: Int

  init(_ rows: any ObjectRows, _ plan: RowPlan, _ store: OpenStore, firstSelected: Int) {
    self.rows = rows
    self.plan = plan
    self.store = store
    self.firstSelected = firstSelected
  }

  func misfit(_ column: Int) -> String? { rows.misfit(column - firstSelected) }

  func report(_ column: Int, _ reason: (any Any.Type) -> String) {
    let entity = rows.entity
    guard let (binding, start) = plan.start(entity),
      let property = plan.property(at: column - firstSelected - start, of: binding)
    else { return }
    store.reportUnreadable(
      property, of: binding.type, tag: binding.tag, row: store.identifier(of: ObjectKey(entity: entity, key: rows.key)),
      reason)
  }
}

extension OpenStore {
  /// Reports a row's value that does not fit its property.
  ///
  /// - Parameters:
  ///   - row: the row's identifier.
  ///   - reason: what is wrong, of the property's type.
  func reportUnreadable(
    _ property: Int, of type: any PersistentModel.Type, tag: Int32, row: @autoclosure () -> PersistentIdentifier?,
    _ reason: (any Any.Type) -> String
  ) {
    noteMisfit(Misfit(tag: tag, property: property))
    let place = configuration.storeInWords
    let subject = UnreadableValue.Subject(
      store: engine.identifier, place: place, type: ObjectIdentifier(type), property: property)
    func problem() -> String? {
      let model = ModelClass.of(type)
      guard let property = model.property(at: property), !property.isTransient else { return nil }
      let owner = row().map { " of \($0)" } ?? ""
      return
        "\(model.className).\(property.name)\(owner) in \(place): \(reason(unwrapped(property.valueType)))"
    }
    UnreadableValue.report(subject, problem())
  }
}

extension ContextCore {
  /// Reports a property whose value in the object's row is absent, or could not be read.
  func reportMissingValue(of object: some PersistentModel, at property: Int) {
    let tag = object._$state.entity
    store(tag).reportUnreadable(property, of: type(of: object), tag: tag, row: object.persistentModelID) {
      "the stored value is NULL, or no \($0); it reads as the property's default"
    }
  }
}
