package import ManagedModel
import SQLite
package import StoreRequests
import Synchronization

extension PersistentStore {
  /// The model that the store has.
  package var model: ModelDescription { layout.model }

  /// The entities with their properties as rows hold them, for programs that read and write whole objects.
  ///
  /// They differ from ``entities``: the properties are in the order of history (CD-7), properties without a place in the store are left
  /// out, and an inverse that names another relationship as its own inverse is no inverse. Cost: linear in the number of properties,
  /// the first time.
  package var storedEntities: EntityTable { knownEntities.table(of: layout) }

  /// The names of all entities in `Z_PRIMARYKEY` by number, also of those that the model lacks. Cost: one query.
  ///
  /// - Throws: `SQLiteError`, or ``StoreError`` if the store is closed.
  package func entityNames() throws -> [Int32: String] {
    let rows = try read { try PrimaryKeys($0).rows }
    let named = rows.filter { !$0.name.isEmpty }
    return Dictionary(named.map { (Int32(clamping: $0.number), $0.name) }, uniquingKeysWith: { _, last in last })
  }
}

/// The stored entities of an open store, made when they are first needed: most programs do not need them.
final class KnownStoredEntities: Sendable {
  private let known = Mutex<EntityTable?>(nil)

  func table(of layout: StoreLayout) -> EntityTable {
    known.withLock { known in
      if let known { return known }
      let table = layout.storedEntities
      known = table
      return table
    }
  }
}

extension StoreLayout {
  fileprivate var storedEntities: EntityTable {
    let numbers = Dictionary(entities.map { ($0.name, Int32($0.number)) }, uniquingKeysWith: { first, _ in first })
    return EntityTable(graph, numbers: numbers) { name in
      (entity(named: name)?.properties ?? []).map(StoreProperty.init)
    }
  }
}

extension StoreProperty {
  fileprivate init(_ layout: PropertyLayout) {
    switch layout {
    case .attribute(let attribute):
      self = .attribute(StoreAttribute(attribute.description, leaves: attribute.columns.map(\.leaf)))
    case .toOne(let relationship):
      self = .toOne(
        StoreRelationship(
          relationship.description, declaringEntityName: relationship.declaringEntityName,
          destinationNumber: Int32(relationship.destinationNumber),
          inverse: relationship.inverse.map { ($0.description, $0.entityName) }, storage: .key))
    case .toMany(let relationship):
      self = .toMany(
        StoreRelationship(
          relationship.description, declaringEntityName: relationship.declaringEntityName,
          destinationNumber: Int32(relationship.destinationNumber),
          inverse: relationship.inverse.map { ($0.description, $0.entityName) }, storage: .init(relationship.storage)))
    }
  }
}

extension AttributeColumn {
  /// The column's place in the model.
  var leaf: StoreAttribute.Leaf { StoreAttribute.Leaf(path: path, attribute: attribute) }
}

extension StoreRelationship.Storage {
  fileprivate init(_ storage: ToManyLayout.Storage) {
    self =
      switch storage {
      case .key(let side): side.isVirtual ? .listed : .key
      case .joinTable(let side): side.isReflexive ? .reflexive : .listed
      }
  }
}
