import ManagedModel
package import SQLite

/// An R*Tree of points with the triggers that maintain it (CD-4). It has two columns, latitude and longitude.
///
/// A model declares it as a fetch index of that type. The Photos libraries of 2019 to 2026 declare it as a transient
/// attribute whose user info names the two coordinate attributes.
package struct LocationIndexLayout: Sendable, Hashable {
  package let name: Identifier
  /// The table of the rows.
  package let table: Identifier
  /// The columns of the points' coordinates.
  package let columns: [Identifier]

  /// The virtual table, then its triggers.
  package var definitions: [String] {
    let bounds = columns.flatMap { [Identifier($0.name + "_MIN"), Identifier($0.name + "_MAX")] }
    let list = (["Z_PK"] + bounds.map(\.description)).joined(separator: ", ")
    let doubled = columns.flatMap { ["NEW.\($0)", "NEW.\($0)"] }
    // The space is before the first comma, as in Core Data's own text.
    let values =
      "NEW.Z_PK, "
      + doubled.enumerated().map { $0.offset == 0 ? $0.element : ($0.offset == 1 ? " ," : ", ") + $0.element }.joined()
    func trigger(_ event: String, _ body: String) -> String {
      "CREATE TRIGGER \(Identifier("\(name.name)_\(event)")) AFTER \(event) ON \(table) FOR EACH ROW BEGIN \(body) ; END"
    }
    return [
      "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, "
        + bounds.map { "\($0) FLOAT" }.joined(separator: ", ") + ")",
      trigger("INSERT", "INSERT OR REPLACE INTO \(name) (\(list)) VALUES (\(values))"),
      trigger(
        "UPDATE",
        "DELETE FROM \(name) WHERE Z_PK = NEW.Z_PK ; INSERT INTO \(name) (\(list)) VALUES (\(values))"),
      trigger("DELETE", "DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK"),
    ]
  }
}

extension StoreLayout {
  /// The location indexes that an entity declares itself.
  ///
  /// - Throws: ``LayoutError`` for a fetch index without columns. A user info that names missing attributes is ignored.
  package func locationIndexes(of entity: EntityLayout) throws -> [LocationIndexLayout] {
    func index(_ name: String, _ columns: [Identifier]) -> LocationIndexLayout {
      LocationIndexLayout(name: Identifier("Z_RT_\(entity.name)_\(name)"), table: entity.table, columns: columns)
    }
    var result: [LocationIndexLayout] = []
    for case .attribute(let attribute) in entity.description.properties.sorted(by: { codeUnitOrder($0.name, $1.name) })
    {
      let columns = attribute.locationComponents.compactMap { entity.column(ofPath: $0) }
      if columns.count == 2 { result.append(index(attribute.name, columns)) }
    }
    for fetchIndex in entity.description.distinctFetchIndexes where fetchIndex.isLocationIndex {
      let columns = try fetchIndex.elements.map { try column(of: $0.subject, index: fetchIndex, entity: entity) }
      result.append(index(fetchIndex.name, columns))
    }
    return result
  }
}

extension AttributeDescription {
  /// The coordinate attributes, from a text such as `latitude, longitude`, or from a list.
  var locationComponents: [String] {
    switch userInfo["_NSLocationAttributeDerivedComponents"] {
    case .string(let text)?: text.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
    case .array(let values)?: values.compactMap { if case .string(let name) = $0 { name } else { nil } }
    default: []
    }
  }
}
