/// SQL over single rows, for the queries of this folder.
extension StoreLayout {
  /// The key of a to-one relationship's object; see ``QueryPrinter/Row/key(of:)``.
  func key(of relationship: ToOneLayout, of entity: EntityLayout, alias: String) -> String {
    QueryPrinter.Row(alias: alias, entity: entity).key(of: relationship)
  }

  /// A condition on `Z_ENT`: rows of the entity and its subentities.
  func kindTest(_ entity: EntityLayout, alias: String) -> String {
    "\(alias).Z_ENT \(SQLText.numbersTest(entity.kindNumbers))"
  }
}
