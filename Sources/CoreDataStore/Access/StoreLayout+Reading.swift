/// SQL that reads single columns of a row, for queries of other targets, and the unique properties of entities.
extension StoreLayout {
  /// An attribute's value. External data is read from its file.
  package func reading(_ column: AttributeColumn, of entity: EntityLayout, alias: String) -> String {
    SQLText.reading(column, of: QueryPrinter.Row(alias: alias, entity: entity), in: self)
  }

  /// The key of a to-one relationship's object; see ``QueryPrinter/Row/key(of:)``.
  package func key(of relationship: ToOneLayout, of entity: EntityLayout, alias: String) -> String {
    QueryPrinter.Row(alias: alias, entity: entity).key(of: relationship)
  }

  /// A condition on `Z_ENT`: rows of the entity and its subentities.
  package func kindTest(_ entity: EntityLayout, alias: String) -> String {
    "\(alias).Z_ENT \(SQLText.numbersTest(entity.kindNumbers))"
  }

  /// See ``UniquenessConstraint/properties(of:in:)``.
  package func uniqueProperties(of entity: EntityLayout) -> Set<String> {
    UniquenessConstraint.properties(of: entity, in: self)
  }
}
