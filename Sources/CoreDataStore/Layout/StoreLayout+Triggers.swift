import ManagedModel
import SQLite

extension StoreLayout {
  /// CD-8: the triggers that keep an entity's derived attributes, then its location indexes, then its counts.
  ///
  /// What needs functions of ours has none in the store, where nobody else could write then; see ``missingTriggers(besides:)``.
  package func triggerDefinitions(of entity: EntityLayout) throws -> [String] {
    var statements: [String] = []
    for derivation in derivations(of: entity) {
      if let attested = CoreDataTriggers(derivation) {
        statements += attested.definitions
      } else if !derivation.needsOurFunctions {
        statements += DerivationTriggers(derivation, isTemporary: false).definitions
      }
    }
    for index in try locationIndexes(of: entity) { statements += index.definitions }
    for case .attribute(let attribute) in entity.properties where attribute.declaringEntityName == entity.name {
      statements += CountTriggers(attribute, of: entity, in: self)?.definitions ?? []
    }
    return statements
  }

  /// Derived attributes that an entity declares itself and that relationships are part of.
  private func derivations(of entity: EntityLayout) -> [Derivation] {
    entity.properties.compactMap { property in
      guard case .attribute(let attribute) = property, attribute.declaringEntityName == entity.name else { return nil }
      return Derivation(attribute, of: entity, in: self)
    }
  }

  /// Triggers for one connection that keep the derived attributes of which the store's own say nothing: because they need
  /// functions of ours, or because a migration left them out.
  ///
  /// - Parameter existing: the texts of the store's triggers.
  func missingTriggers(besides existing: [String]) -> [String] {
    entities.flatMap(derivations).filter { derivation in
      let assignment = "UPDATE \(derivation.entity.table) SET \(derivation.column) ="
      return !existing.contains { $0.contains(assignment) }
    }.flatMap { DerivationTriggers($0, isTemporary: true).definitions }
  }

  /// Whether rows are written to virtual tables by triggers.
  var hasLocationIndexes: Bool {
    entities.contains { (try? locationIndexes(of: $0))?.isEmpty == false }
  }
}
