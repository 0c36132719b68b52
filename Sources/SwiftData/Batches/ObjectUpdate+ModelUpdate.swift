internal import Foundation

extension ObjectUpdate {
  /// An update of a class, for objects that the predicate selects.
  ///
  /// - Parameter property: the index of the attribute at a key path; `nil` for a relationship, whose assignment is not made again.
  /// - Returns: `nil` if the new values depend neither on the objects nor on what the predicate selects.
  init?<Model: PersistentModel>(
    _ update: ModelUpdate<Model>, _ predicate: Predicate<Model>?, property: (AnyKeyPath) -> Int?
  ) {
    guard predicate != nil || update.assignments.contains(where: { $0.constant == nil }) else { return nil }
    let assignments = update.assignments.compactMap { assignment in
      property(assignment.property).map { (property: $0, prepare: assignment.prepare) }
    }
    let selection = predicate.map { InMemoryEvaluation([$0.expression], of: $0.variable) }
    self.init(of: Set(assignments.map(\.property))) { object, properties in
      guard let object = downcast(object, to: Model.self), try selection?.matches(object) ?? true else { return false }
      let entityName = ModelClass.of(type(of: object)).entityName
      let setters = try assignments.filter { properties.contains($0.property) }.map {
        try $0.prepare(object, entityName)
      }
      for set in setters { set() }
      return true
    }
  }
}
