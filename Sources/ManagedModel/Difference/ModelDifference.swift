/// What changed between two models, and whether Core Data can infer the migration from one to the other.
///
/// Entities and properties are matched by their renaming identifiers, as Core Data does; every change says in words what
/// it is. Nothing is said of what no store and no class depends on: user info, declared order, configurations.
package struct ModelDifference: Sendable, Hashable {
  /// Changes in the destination's declared order, removed things after the rest.
  package let changes: [ModelChange]

  /// Compares two models; cost: time linear in the properties of all entities, inherited ones counted for each.
  package init(from source: ModelDescription, to destination: ModelDescription) {
    var comparison = ModelComparison(from: source, to: destination)
    comparison.compareAll()
    changes = comparison.changes
  }

  package var isEmpty: Bool { changes.isEmpty }

  /// Whether a store of the source model does not open with the destination model as it is.
  package var needsMigration: Bool { changes.contains { $0.migration != .none } }

  /// Whether Core Data can infer the whole migration; true as well if none is needed.
  package var isLightweight: Bool { changes.allSatisfy { $0.obstacle == nil } }

  /// What cannot be inferred, a sentence each, in the order of ``changes``.
  package var obstacles: [String] {
    changes.compactMap { change in change.obstacle.map { "\(change.description): \($0.description)" } }
  }
}

extension ModelChange {
  package var obstacle: Obstacle? {
    if case .custom(let obstacle) = migration { obstacle } else { nil }
  }
}
