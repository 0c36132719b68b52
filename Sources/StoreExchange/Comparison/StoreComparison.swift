package import CoreDataStore
import ManagedModel
import StoreRequests

/// Compares two stores: their models, and their data object by object.
///
/// Both stores are read in matching order, side by side, so memory does not depend on the number of objects.
package struct StoreComparison: Sendable {
  package let first: PersistentStore
  package let second: PersistentStore
  /// The changes of the model, a sentence each.
  package let modelChanges: [String]
  /// The matching of each entity that both stores have.
  package let matchings: [String: ObjectMatching]
  /// Entities that can be matched by key only, although the stores have different identifiers.
  package let unmatchable: [String]

  /// - Parameter attributes: elements such as `Entity.attribute`, by which the objects of the entity and its subentities
  ///   are matched; several attributes of one entity count together. Other entities are matched by key if the stores have one
  ///   identifier, or else by the uniqueness constraints of their models.
  /// - Throws: ``QueryError`` for a name that either model lacks, with the nearest name; ``ComparisonError``.
  package init(_ first: PersistentStore, _ second: PersistentStore, by attributes: [String] = []) throws {
    self.first = first
    self.second = second
    modelChanges = ModelDifference(from: first.model, to: second.model).changes.map(\.description)
    var chosen: [String: [String]] = [:]
    for text in attributes {
      let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
      let name = parts.first ?? ""
      for store in [first, second] {
        let entity = try store.storedEntities.existingEntity(name)
        let attribute = parts.count > 1 ? parts[1] : ""
        let leaf = try store.storedEntities.leaf(of: attribute, in: entity)
        // The bytes of an archive tell neither the order nor the equality of values.
        guard leaf.attribute.type != .transformable, leaf.path.count == 1 else {
          throw ComparisonError.notComparable(entity: name, attribute: attribute)
        }
      }
      chosen[name, default: []].append(parts.count > 1 ? parts[1] : "")
    }
    var matchings: [String: ObjectMatching] = [:]
    var unmatchable: [String] = []
    for entity in first.storedEntities.entities {
      guard let other = second.storedEntities.entity(named: entity.name) else { continue }
      if let names = entity.lineage.reversed().lazy.compactMap({ chosen[$0] }).first {
        matchings[entity.name] = .attributes(names)
      } else if first.identifier == second.identifier {
        matchings[entity.name] = .key
      } else if let names = Self.unique(entity, other, first.storedEntities) {
        matchings[entity.name] = .attributes(names)
      } else {
        matchings[entity.name] = .key
        if !entity.description.isAbstract { unmatchable.append(entity.name) }
      }
    }
    self.matchings = matchings
    self.unmatchable = unmatchable
  }

  /// The first uniqueness constraint of attributes that both models have. The entity's own constraints come first.
  private static func unique(_ entity: StoreEntity, _ other: StoreEntity, _ entities: EntityTable) -> [String]? {
    let constraints = entity.lineage.reversed().flatMap {
      entities.entity(named: $0)?.description.uniquenessConstraints ?? []
    }
    return constraints.first { names in
      !names.isEmpty && names.allSatisfy { name in [entity, other].allSatisfy { hasPlainAttribute(name, $0) } }
    }
  }

  private static func hasPlainAttribute(_ name: String, _ entity: StoreEntity) -> Bool {
    guard case .attribute(let attribute)? = entity.property(named: name) else { return false }
    return attribute.description.type != .composite
  }

  /// Compares the objects.
  ///
  /// - Parameters:
  ///   - progress: called for each object.
  ///   - body: called for each difference, entity by entity, in matching order.
  /// - Throws: `SQLiteError`, and errors of the closures.
  package func run(
    progress: () throws -> Void = {}, _ body: (ObjectDifference) throws -> Void
  ) throws -> ComparisonSummary {
    try first.readObjects { left in
      try second.readObjects { right in
        var summary = ComparisonSummary()
        let names = Set(first.entities.entities.map(\.name) + second.entities.entities.map(\.name)).sorted(
          by: codeUnitOrder)
        for name in names {
          var merge = try ObjectMerge(entityName: name, matchings: matchings, left, right)
          while let step = try merge.next() {
            try progress()
            switch step {
            case nil: summary.same += 1
            case let difference?:
              switch difference.kind {
              case .changed: summary.changed += 1
              case .onlyInFirst: summary.onlyInFirst += 1
              case .onlyInSecond: summary.onlyInSecond += 1
              }
              try body(difference)
            }
          }
        }
        summary.repairedInFirst = left.repairedTexts
        summary.repairedInSecond = right.repairedTexts
        return summary
      }
    }
  }
}
