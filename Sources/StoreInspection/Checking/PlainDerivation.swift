import CoreDataStore
import SQLite

/// A derived attribute whose value one subquery tells: a count of related objects, or a value of a related object (CD-8).
struct PlainDerivation {
  let attributeName: String
  let column: Identifier
  /// The columns that the value is computed from and stored in, by their tables.
  let columns: [(table: Identifier, names: [Identifier])]
  private let value: (String) -> String

  /// The value in SQL, for the row of an alias or a table.
  func value(of row: String) -> String { value(row) }

  /// `nil` for a derivation over several relationships, or with a filter.
  init?(_ derivation: Derivation, of entity: EntityLayout) {
    guard derivation.filter == nil, derivation.hops.count == 1, let hop = derivation.hops.first else { return nil }
    attributeName = derivation.attributeName
    column = derivation.column
    let own: [Identifier] = ["Z_PK", "Z_ENT", derivation.column]
    switch (hop.link, derivation.value) {
    case (.back(let key), .count):
      value = { "(SELECT count(*) FROM \(hop.destination) b WHERE b.\(key) = \($0).Z_PK)" }
      columns = [(entity.table, own), (hop.destination, [key])]
    case (.own(let key), .column(let column, nil)):
      value = { "(SELECT b.\(column) FROM \(hop.destination) b WHERE b.Z_PK = \($0).\(key))" }
      columns = [(entity.table, own + [key]), (hop.destination, ["Z_PK", column])]
    default: return nil
    }
  }
}

extension StoreLayout {
  func plainDerivations(of entity: EntityLayout) -> [PlainDerivation] {
    entity.properties.compactMap { property in
      guard case .attribute(let attribute) = property, attribute.declaringEntityName == entity.name else { return nil }
      return Derivation(attribute, of: entity, in: self).flatMap { PlainDerivation($0, of: entity) }
    }
  }
}
