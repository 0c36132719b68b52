import SQLite

extension StoreLayout {
  /// The location indexes that the store has with all their triggers, and which therefore include every row.
  func locationIndexes(in catalogue: Catalogue) -> [LocationIndexLayout] {
    guard catalogue.columns.keys.contains(where: { $0.name.hasPrefix("Z_RT_") }) else { return [] }
    let triggers = Set(catalogue.definitions.lazy.filter { $0.kind == "trigger" }.map(\.name))
    return entities.flatMap { (try? locationIndexes(of: $0)) ?? [] }.filter { index in
      catalogue.has(index.name)
        && ["INSERT", "UPDATE", "DELETE"].allSatisfy { triggers.contains("\(index.name.name)_\($0)") }
    }
  }
}

extension LocationIndexLayout {
  /// The columns of a coordinate's bounds, which are rounded outwards. `NULL` is stored as 0.
  func minimum(of column: Identifier) -> Identifier { Identifier(column.name + "_MIN") }
  func maximum(of column: Identifier) -> Identifier { Identifier(column.name + "_MAX") }
}
