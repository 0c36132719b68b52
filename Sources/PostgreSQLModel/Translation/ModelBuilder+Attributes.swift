import ErrorReporting
import ManagedModel

extension ModelBuilder {
  /// Adds an attribute for each column that no relationship takes.
  mutating func addAttributes(to position: Int) {
    let table = drafts[position].table
    let linked = Set(linkConstraints(of: table).flatMap(\.columns))
    for column in table.columns where !linked.contains(column.number) {
      if isSurrogate(column, of: table) {
        note(
          .note, table, column: column.name,
          "the database gives out the values of this key; it is left out, because a store has keys of its own")
      } else if column.isGenerated {
        note(
          .warning, table, column: column.name, "the database computes it, and it is left out",
          remedy: "compute it in the class")
      } else {
        var form = AttributeForm(column, in: catalogue)
        // A uniqueness constraint has plain attributes only.
        if table.keys.contains(where: { $0.contains(column.number) }) { form.takeAnyText() }
        let attribute = attribute(column, form, in: position)
        drafts[position].columns[column.number] = .attribute(attribute)
      }
    }
  }

  private mutating func attribute(
    _ column: Catalogue.Column, _ form: AttributeForm, in position: Int
  ) -> AttributeDescription {
    let table = drafts[position].table
    for loss in form.losses { note(.note, table, column: column.name, loss) }
    var attribute = AttributeDescription(
      name: drafts[position].names.claim(ModelNames.property(column.name)), type: form.type,
      isOptional: !column.isRequired && !form.isRequired)
    if let collection = form.collection {
      attribute.valueTransformerName = "NSSecureUnarchiveFromData"
      attribute.valueClassName = collection
    }
    attribute.enumeration = form.enumeration
    attribute.maximumValue = form.longestText.map { .integer(Int64($0)) }
    if column.isIdentity {
      note(.note, table, column: column.name, "the database gives out its values; the class does not")
    } else if let expression = column.defaultExpression ?? form.defaultExpression {
      switch ConstantExpression(expression) {
      case .null?: break
      case let constant?:
        attribute.defaultValue = form.value(constant)
        if attribute.defaultValue == nil { noteDefault(expression, of: column, in: table) }
      case nil: noteDefault(expression, of: column, in: table)
      }
    }
    return attribute
  }

  private mutating func noteDefault(_ expression: String, of column: Catalogue.Column, in table: Catalogue.Table) {
    note(
      .note, table, column: column.name, "its default \(quoted(expression)) is no constant that the class can have",
      remedy: "assign it where an object is made")
  }

  /// Whether a column is a primary key whose values the database gives out.
  private func isSurrogate(_ column: Catalogue.Column, of table: Catalogue.Table) -> Bool {
    guard table.constraints.contains(where: { $0.kind == .primaryKey && $0.columns == [column.number] }) else {
      return false
    }
    return column.isIdentity || column.defaultExpression?.hasPrefix("nextval(") == true
  }
}
