/// SQL that reads single columns of a row, for queries that others write, and what constrains rows.
extension StoreLayout {
  /// An attribute's value: external data is read from its file.
  package func reading(_ column: AttributeColumn, of entity: EntityLayout, alias: String) -> String {
    SQLText.reading(column, of: QueryPrinter.Row(alias: alias, entity: entity), in: self)
  }

  /// The key of the object that a to-one relationship leads to; see ``QueryPrinter/Row/key(of:)``.
  package func key(of relationship: ToOneLayout, of entity: EntityLayout, alias: String) -> String {
    QueryPrinter.Row(alias: alias, entity: entity).key(of: relationship)
  }

  /// A condition on `Z_ENT`: rows of the entity and its subentities.
  package func kindTest(_ entity: EntityLayout, alias: String) -> String {
    "\(alias).Z_ENT \(SQLText.numbersTest(entity.kindNumbers))"
  }

  /// See ``UniquenessConstraint/attributes(of:in:)``.
  package func uniqueAttributes(of entity: EntityLayout) -> Set<String> {
    UniquenessConstraint.attributes(of: entity, in: self)
  }
}
