import ManagedModel
import SQLite

extension StoreLayout {
  /// CD-8: the triggers of an entity's derived attributes, then of its location indexes, then of its counts.
  ///
  /// A trigger that needs a function of this library is not stored, because other programs could not write then; see
  /// ``missingTriggers(besides:)``.
  package func triggerDefinitions(of entity: EntityLayout) throws -> [String] {
    var statements: [String] = []
    for derivation in derivations(of: entity) {
      if let triggers = CoreDataTriggers(derivation) {
        statements += triggers.definitions
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

  /// An entity's own derived attributes with a relationship in their expression.
  private func derivations(of entity: EntityLayout) -> [Derivation] {
    entity.properties.compactMap { property in
      guard case .attribute(let attribute) = property, attribute.declaringEntityName == entity.name else { return nil }
      return Derivation(attribute, of: entity, in: self)
    }
  }

  /// The temporary triggers of a connection. They maintain derived attributes for which the store has no trigger:
  /// because the trigger needs a function of this library, or because a migration left it out.
  ///
  /// - Parameter existing: the texts of the store's triggers.
  func missingTriggers(besides existing: [String]) -> [String] {
    entities.flatMap(derivations).filter { derivation in
      let assignment = "UPDATE \(derivation.entity.table) SET \(derivation.column) ="
      return !existing.contains { $0.contains(assignment) }
    }.flatMap { DerivationTriggers($0, isTemporary: true).definitions }
  }

  /// Whether triggers write to virtual tables.
  var hasLocationIndexes: Bool {
    entities.contains { (try? locationIndexes(of: $0))?.isEmpty == false }
  }
}
