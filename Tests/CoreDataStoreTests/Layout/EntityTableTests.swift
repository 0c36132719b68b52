import ManagedModel
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

/// The entities that the framework sees, against the layouts of real stores.
@Suite(.enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
struct EntityTableTests {
  @Test("Kinds, widths and the storage of relationships are those of the layout", arguments: RealStore.written)
  func widths(real: RealStore) throws {
    let store = try real.open(Fixtures.copyOfStore(real.name), isReadOnly: true)
    let layout = store.layout
    #expect(store.entities.entities.map(\.name) == layout.entities.map(\.name))
    #expect(store.entities.hierarchyCount == layout.tables.count)
    let stored = store.storedEntities.entities
    #expect(stored.map { $0.properties.map(\.name) } == layout.entities.map { $0.properties.map(\.name) })
    for (entity, own) in zip(store.entities.entities, layout.entities) {
      #expect(Int(entity.number) == own.number && entity.kindNumbers.map { Int($0) } == own.kindNumbers)
      #expect(Set(entity.properties.map(\.name)) == Set(own.properties.map(\.name)), "\(entity.name)")
      for property in own.properties {
        let table = try #require(entity.property(named: property.name))
        switch (property, table) {
        case (.attribute(let attribute), .attribute(let leaves)):
          #expect(attribute.columns.map(\.path) == leaves.leaves.map(\.path))
        case (.toOne(let relationship), .toOne(let known)):
          #expect(relationship.destinationNumber == Int(known.destinationNumber))
          #expect(relationship.inverse?.description == known.inverse)
        case (.toMany(let relationship), .toMany(let known)):
          #expect(relationship.destinationNumber == Int(known.destinationNumber))
          #expect(relationship.inverse?.entityName == known.inverseEntityName)
          switch relationship.storage {
          case .key(let side): #expect(known.storage == (side.isVirtual ? .listed : .key))
          case .joinTable(let side): #expect((known.storage == .reflexive) == side.isReflexive && known.storage != .key)
          }
        default: Issue.record("\(entity.name).\(property.name) is of another kind")
        }
      }
    }
  }
}
