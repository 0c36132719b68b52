package import CoreDataStore
import ManagedModel

/// The difference of two stores: of their models, and object by object of what is in them.
///
/// Objects are read in the order in which they are matched, side by side: memory does not depend on how many there are.
package struct StoreComparison: Sendable {
  package let first: PersistentStore
  package let second: PersistentStore
  /// What changed between the models, a sentence each.
  package let modelChanges: [String]
  /// How the objects of each entity that both stores have are matched.
  package let matchings: [String: ObjectMatching]
  /// Entities that nothing but keys can be matched by, although the stores are not of one origin.
  package let unmatchable: [String]

  /// - Parameter attributes: `Entity.attribute` each: what to match the objects of an entity, and of its subentities, by;
  ///   of several for one entity all count together. Otherwise stores with one identifier are matched by key, others by what
  ///   their models say is unique.
  /// - Throws: ``QueryError`` for a name that is not both models', with the nearest one; ``ComparisonError``.
  package init(_ first: PersistentStore, _ second: PersistentStore, by attributes: [String] = []) throws {
    self.first = first
    self.second = second
    modelChanges = ModelDifference(from: first.layout.model, to: second.layout.model).changes.map(\.description)
    var chosen: [String: [String]] = [:]
    for text in attributes {
      let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
      let name = parts.first ?? ""
      for store in [first, second] {
        let entity = try store.layout.existingEntity(name)
        let attribute = parts.count > 1 ? parts[1] : ""
        let column = try store.layout.attributeColumn(attribute, element: [], of: entity)
        // The bytes of an archive say nothing of the value's order, nor of its equality.
        guard column.attribute.type != .transformable, column.path.count == 1 else {
          throw ComparisonError.notComparable(entity: name, attribute: attribute)
        }
      }
      chosen[name, default: []].append(parts.count > 1 ? parts[1] : "")
    }
    var matchings: [String: ObjectMatching] = [:]
    var unmatchable: [String] = []
    for entity in first.layout.entities {
      guard let other = second.layout.entity(named: entity.name) else { continue }
      if let names = entity.lineage.reversed().lazy.compactMap({ chosen[$0] }).first {
        matchings[entity.name] = .attributes(names)
      } else if first.identifier == second.identifier {
        matchings[entity.name] = .key
      } else if let names = Self.unique(entity, other, first.layout) {
        matchings[entity.name] = .attributes(names)
      } else {
        matchings[entity.name] = .key
        if !entity.isAbstract { unmatchable.append(entity.name) }
      }
    }
    self.matchings = matchings
    self.unmatchable = unmatchable
  }

  /// The first constraint of attributes alone that both models have, the entity's own before inherited ones.
  private static func unique(_ entity: EntityLayout, _ other: EntityLayout, _ layout: StoreLayout) -> [String]? {
    let constraints = entity.lineage.reversed().flatMap {
      layout.entity(named: $0)?.description.uniquenessConstraints ?? []
    }
    return constraints.first { names in
      !names.isEmpty
        && names.allSatisfy { name in
          [entity, other].allSatisfy {
            if case .attribute(let found)? = $0.property(named: name) { found.column != nil } else { false }
          }
        }
    }
  }

  /// Compares the objects.
  ///
  /// - Parameters:
  ///   - progress: called for each object.
  ///   - body: called for each difference, entity by entity, in the order in which they were matched.
  /// - Throws: `SQLiteError`, or what the closures throw.
  package func run(
    progress: () throws -> Void = {}, _ body: (ObjectDifference) throws -> Void
  ) throws -> ComparisonSummary {
    try first.readObjects { left in
      try second.readObjects { right in
        var summary = ComparisonSummary()
        let names = Set(first.layout.entities.map(\.name) + second.layout.entities.map(\.name)).sorted(
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
        return summary
      }
    }
  }
}
