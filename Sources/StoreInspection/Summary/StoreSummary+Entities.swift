import CoreDataStore
import Foundation
import ManagedModel
import SQLite

extension StoreSummary.Entity {
  init(_ entity: EntityLayout, _ store: StoreSnapshot, _ counts: [Int64: Int64]?) {
    let description = entity.description
    let graph = store.model.layout?.graph
    var attributes: [StoreSummary.Attribute] = []
    var relationships: [StoreSummary.Relationship] = []
    var fetched: [String] = []
    for property in graph?.properties(of: entity.name) ?? description.properties {
      let declaring = graph?.declaringEntity(of: property.name, in: entity.name)?.name
      let source = declaring == entity.name ? nil : declaring
      let layout = entity.property(named: property.name)
      switch property {
      case .attribute(let attribute):
        attributes.append(StoreSummary.Attribute(attribute, layout, inheritedFrom: source))
      case .relationship(let relationship):
        relationships.append(
          StoreSummary.Relationship(relationship, layout, entity.table, inheritedFrom: source))
      case .fetchedProperty(let property): fetched.append(property.name)
      }
    }
    self.init(
      number: entity.number, name: entity.name, superentity: entity.superentityName, isAbstract: entity.isAbstract,
      className: description.className, table: entity.table.name,
      count: counts.map { $0[Int64(entity.number)] ?? 0 },
      hash: store.metadata.hashes?[entity.name].map { $0.map(StoreSummary.Entity.hexadecimal).joined() },
      attributes: attributes.sorted { codeUnitOrder($0.name, $1.name) },
      relationships: relationships.sorted { codeUnitOrder($0.name, $1.name) },
      fetchedProperties: fetched.sorted(by: codeUnitOrder),
      uniquenessConstraints: description.uniquenessConstraints,
      fetchIndexes: description.fetchIndexes.map(\.name))
  }

  /// The facts of an entity that `Z_PRIMARYKEY` alone states.
  private init(_ row: StoreSnapshot.KeyRow, table: Identifier, _ store: StoreSnapshot, _ counts: [Int64: Int64]?) {
    let superentity = store.primaryKeys.first { $0.number == row.superentityNumber }?.name
    let name = row.name ?? ""
    self.init(
      number: Int(row.number), name: name, superentity: superentity, isAbstract: false, className: nil,
      table: table.name, count: counts.map { $0[row.number] ?? 0 },
      hash: store.metadata.hashes?[name].map { $0.map(StoreSummary.Entity.hexadecimal).joined() }, attributes: nil,
      relationships: nil, fetchedProperties: [], uniquenessConstraints: [], fetchIndexes: [])
  }

  static func withoutModel(
    _ store: StoreSnapshot, _ counts: [Identifier: [Int64: Int64]]
  ) -> [StoreSummary.Entity] {
    var tables: [Int64: Identifier] = [:]
    for entry in store.entityTables {
      for (number, _) in entry.entities { tables[Int64(number)] = entry.table }
    }
    return store.primaryKeys.filter(\.isEntity).compactMap { row in
      tables[row.number].map { StoreSummary.Entity(row, table: $0, store, counts[$0]) }
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}

extension StoreSummary.Attribute {
  fileprivate init(_ attribute: AttributeDescription, _ layout: PropertyLayout?, inheritedFrom source: String?) {
    var columns: [StoreSummary.Column] = []
    if case .attribute(let layout)? = layout {
      columns = layout.columns.map { column in
        let element = column.path.dropFirst().joined(separator: ".")
        return StoreSummary.Column(name: column.name.name, element: element.isEmpty ? nil : element)
      }
    }
    var traits: [String] = []
    if attribute.isTransient { traits.append("transient") }
    if let derivation = attribute.derivation { traits.append("derived: \(derivation.expression)") }
    if attribute.allowsExternalBinaryDataStorage { traits.append("external storage") }
    if attribute.preservesValueInHistoryOnDeletion { traits.append("kept in history") }
    if attribute.allowsCloudEncryption { traits.append("encrypted in the cloud") }
    if attribute.isIndexedBySpotlight { traits.append("in Spotlight") }
    if let transformer = attribute.valueTransformerName { traits.append("transformer: \(transformer)") }
    if attribute.type == .transformable, let name = attribute.valueClassName { traits.append("class: \(name)") }
    if let name = attribute.compositeName { traits.append("composite: \(name)") }
    self.init(
      name: attribute.name, type: attribute.type.modelName, isOptional: attribute.isOptional, inheritedFrom: source,
      columns: columns, traits: traits)
  }
}

extension StoreSummary.Relationship {
  fileprivate init(
    _ relationship: RelationshipDescription, _ layout: PropertyLayout?, _ table: Identifier,
    inheritedFrom source: String?
  ) {
    let storage: String
    switch layout {
    case .toOne(let relationship)?: storage = "\(table.name).\(relationship.key.name)"
    case .toMany(let relationship)?:
      switch relationship.storage {
      case .key(let side): storage = "\(side.table.name).\(side.key.name)"
      case .joinTable(let side): storage = side.table.name
      }
    case .attribute?, nil: storage = ""
    }
    self.init(
      name: relationship.name,
      kind: relationship.isToMany ? (relationship.isOrdered ? "ordered to-many" : "to-many") : "to-one",
      destination: relationship.destinationEntityName, inverse: relationship.inverseName,
      isOptional: relationship.isOptional, inheritedFrom: source, deleteRule: "\(relationship.deleteRule)",
      storage: storage)
  }
}
