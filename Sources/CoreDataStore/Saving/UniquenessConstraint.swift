import ManagedModel
import SQLite
import StoreRequests

/// A uniqueness constraint of an entity or of one of its superentities.
struct UniquenessConstraint: Hashable {
  /// The constrained properties, and the paths of constrained elements of composites.
  let properties: [String]
  /// The properties at which the paths begin. A source binds all values of a property.
  let propertyNames: [String]

  init(_ properties: [String]) {
    self.properties = properties
    propertyNames = properties.propertyNames
  }

  /// Returns the constraints of an entity whose properties are all among the columns of an inserted row.
  static func applying(to entity: EntityLayout, columns: [ColumnSelection], in layout: StoreLayout)
    -> [UniquenessConstraint]
  {
    let bound = Set(columns.map(\.propertyName))
    return all(of: entity, in: layout).filter { !$0.properties.isEmpty && bound.isSuperset(of: $0.propertyNames) }
  }

  /// Returns the constraints of an entity that have at least one of the given properties.
  static func touching(_ properties: Set<String>, of entity: EntityLayout, in layout: StoreLayout)
    -> [UniquenessConstraint]
  {
    all(of: entity, in: layout).filter { !properties.isDisjoint(with: $0.propertyNames) }
  }

  private static func all(of entity: EntityLayout, in layout: StoreLayout) -> [UniquenessConstraint] {
    entity.lineage.flatMap { layout.entity(named: $0)?.description.uniquenessConstraints ?? [] }
      .map(UniquenessConstraint.init)
  }

  /// Returns the selected columns that belong to a constraint.
  static func columns(of entity: EntityLayout, among selections: [ColumnSelection], in layout: StoreLayout)
    -> [Identifier]
  {
    let selected = Set(selections.map(\.propertyName))
    let paths = Set(all(of: entity, in: layout).flatMap(\.properties)).filter {
      selected.isSuperset(of: [$0].propertyNames)
    }
    return paths.sorted().compactMap { entity.column(ofPath: $0) }
  }

  /// Translates SQLite's error, which names columns, into an error that names the model's properties.
  static func violation(_ error: SQLiteError, of entity: EntityLayout, in layout: StoreLayout) -> any Error {
    // “UNIQUE constraint failed: ZBOOK.ZTITLE, ZBOOK.ZYEAR”
    let columns = Set(
      error.message.split(separator: ": ").last?.split(separator: ", ").map {
        String($0.split(separator: ".").last ?? "")
      } ?? [])
    let match = all(of: entity, in: layout).first { constraint in
      Set(constraint.properties.compactMap { entity.column(ofPath: $0)?.name }) == columns
    }
    return match.map { SaveError.notUnique(entity: entity.name, properties: $0.properties) } ?? error
  }
}
