/// The changes between two models. It also tells whether Core Data can infer the migration from one model to the other.
///
/// Entities and properties are matched by their renaming identifiers, as in Core Data. Each change describes itself in
/// words. The comparison leaves out the parts that no store and no class depends on: user info, declared order,
/// configurations.
package struct ModelDifference: Sendable, Hashable {
  /// Changes in the destination's declared order. Removed properties come last in their entity, removed entities at the
  /// end.
  package let changes: [ModelChange]

  /// Compares two models. Cost: time linear in the properties of all entities, with inherited properties counted for
  /// each.
  package init(from source: ModelDescription, to destination: ModelDescription) {
    var comparison = ModelComparison(from: source, to: destination)
    comparison.compareAll()
    changes = comparison.changes
  }

  package var isEmpty: Bool { changes.isEmpty }

  /// Whether a store of the source model needs a migration before it opens with the destination model.
  package var needsMigration: Bool { changes.contains { $0.migration != .none } }

  /// Whether Core Data can infer the whole migration; true as well if none is needed.
  package var isLightweight: Bool { changes.allSatisfy { $0.obstacle == nil } }
}

extension ModelChange {
  package var obstacle: Obstacle? {
    if case .custom(let obstacle) = migration { obstacle } else { nil }
  }
}
