package import SQLite

/// A column whose values may be in files, with its property.
package struct ExternalColumn: Sendable, Hashable {
  package let table: Identifier
  package let column: Identifier
  package let entityName: String
  /// The attribute's name, followed by the element's name for a composite.
  package let property: String

  /// → key, entity and stored content of the rows whose value may be in a file.
  package var references: String {
    "SELECT Z_PK, Z_ENT, \(column) FROM \(table) WHERE \(StoredData.namesFile("\(column)"))"
  }

  /// Key → stored content.
  package var content: String { "SELECT \(column) FROM \(table) WHERE Z_PK = ?1" }
}

extension StoreLayout {
  /// All columns whose values may be in files, in the order of their entities.
  package var externalColumns: [ExternalColumn] {
    entities.flatMap { entity in
      entity.properties.flatMap { property -> [ExternalColumn] in
        guard case .attribute(let attribute) = property, attribute.declaringEntityName == entity.name else { return [] }
        return attribute.columns.filter(\.isExternal).map {
          ExternalColumn(
            table: entity.table, column: $0.name, entityName: entity.name,
            property: $0.path.joined(separator: "."))
        }
      }
    }
  }
}
