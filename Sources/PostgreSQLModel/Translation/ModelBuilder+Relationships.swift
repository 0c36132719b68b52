import ErrorReporting
import ManagedModel

extension ModelBuilder {
  /// A to-one relationship in the making: a foreign key of one column.
  struct Link {
    let source: Int
    let destination: Int
    let column: Catalogue.Column
    let constraint: Catalogue.Constraint
    let name: String
    /// Whether other relationships lead from the same table to the same destination.
    let hasSiblings: Bool
  }

  /// The foreign keys of a table that become relationships: of one column, to a table with an entity, one for each column.
  func linkConstraints(of table: Catalogue.Table) -> [Catalogue.Constraint] {
    var taken: Set<Int> = []
    return table.foreignKeys.filter { constraint in
      constraint.columns.count == 1 && positions[constraint.destination] != nil
        && taken.insert(constraint.columns[0]).inserted
    }
  }

  /// Names the to-one relationships of an entity, after its attributes, and notes all other foreign keys.
  mutating func links(from position: Int) -> [Link] {
    let table = drafts[position].table
    let constraints = linkConstraints(of: table)
    let linked = Set(constraints.flatMap(\.columns))
    for other in table.foreignKeys where !constraints.contains(where: { $0.name.utf8.elementsEqual(other.name.utf8) }) {
      let reason =
        other.columns.count > 1
        ? "has several columns"
        : positions[other.destination] == nil
          ? "refers to \(quoted(other.destinationName)), which has no class" : "has the column of another foreign key"
      let taken = other.columns.count { linked.contains($0) }
      let rest =
        taken == other.columns.count
        ? "" : taken == 0 ? ", and its columns are attributes" : ", and its other columns are attributes"
      note(.warning, table, "the foreign key \(quoted(other.name)) \(reason); it is left out\(rest)")
    }
    let ordered = constraints.sorted { $0.columns[0] < $1.columns[0] }
    return ordered.compactMap { constraint in
      guard let destination = positions[constraint.destination], let column = table.column(constraint.columns[0]) else {
        return nil
      }
      let short = ModelNames.toOne(column.name, key: key(of: constraint))
      let wanted = drafts[position].names.isTaken(short) ? ModelNames.property(column.name) : short
      if !constraint.isValidated {
        note(
          .note, table, column: column.name,
          "the foreign key \(quoted(constraint.name)) is not checked for all rows: a row may lead to none")
      }
      if let expression = column.defaultExpression, ConstantExpression(expression) != .null {
        note(
          .note, table, column: column.name,
          "its default \(quoted(expression)) is left out: a relationship has no default")
      }
      return Link(
        source: position, destination: destination, column: column, constraint: constraint,
        name: drafts[position].names.claim(wanted),
        hasSiblings: constraints.count { $0.destination == constraint.destination } > 1)
    }
  }

  /// The name of the column that a foreign key refers to.
  private func key(of constraint: Catalogue.Constraint) -> String {
    guard let position = positions[constraint.destination], let number = constraint.destinationColumns.first else {
      return "id"
    }
    return drafts[position].table.column(number)?.name ?? "id"
  }

  /// Adds a to-one relationship and its inverse: to-one if no two rows share a destination, otherwise to-many.
  mutating func add(_ link: Link) {
    let (source, destination) = (drafts[link.source], drafts[link.destination])
    let isOneToOne = source.table.keys.contains([link.column.number])
    let own = ModelNames.lowercased(source.name)
    let wanted =
      (isOneToOne ? own : ModelNames.toMany(own)) + (link.hasSiblings ? "By" + ModelNames.capitalized(link.name) : "")
    let inverse = drafts[link.destination].names.claim(wanted)
    drafts[link.source].columns[link.column.number] = .relationship(
      RelationshipDescription(
        name: link.name, destinationEntityName: destination.name, inverseName: inverse,
        inverseEntityName: destination.name, isOptional: !link.column.isRequired))
    drafts[link.destination].inverses.append(
      .relationship(
        RelationshipDescription(
          name: inverse, destinationEntityName: source.name, inverseName: link.name, inverseEntityName: source.name,
          isOptional: isOneToOne, maximumCount: isOneToOne ? 1 : 0,
          deleteRule: deleteRule(link.constraint, of: source.table))))
  }

  /// Adds both sides of a many-to-many relationship, each named by the column of the other side.
  mutating func addPairs(of table: Catalogue.Table) {
    guard let pair = table.pair, let own = positions[pair.own.destination],
      let other = positions[pair.other.destination],
      let ownColumn = table.column(pair.own.columns[0]), let otherColumn = table.column(pair.other.columns[0])
    else { return }
    let name = drafts[own].names.claim(ModelNames.toMany(ModelNames.toOne(otherColumn.name, key: key(of: pair.other))))
    let inverse = drafts[other].names.claim(ModelNames.toMany(ModelNames.toOne(ownColumn.name, key: key(of: pair.own))))
    func add(
      _ name: String, _ position: Int, to destination: Int, _ inverse: String, _ constraint: Catalogue.Constraint
    ) {
      drafts[position].inverses.append(
        .relationship(
          RelationshipDescription(
            name: name, destinationEntityName: drafts[destination].name, inverseName: inverse,
            inverseEntityName: drafts[destination].name, isOptional: false, maximumCount: 0,
            deleteRule: pairRule(constraint, of: table))))
    }
    add(name, own, to: other, inverse, pair.own)
    add(inverse, other, to: own, name, pair.other)
  }

  /// The effect of a row's deletion on the rows that refer to it.
  private mutating func deleteRule(
    _ constraint: Catalogue.Constraint, of table: Catalogue.Table
  ) -> RelationshipDescription.DeleteRule {
    switch constraint.action {
    case .cascade: return .cascade
    case .setNull: return .nullify
    case .noAction, .restrict: return .deny
    case .setDefault:
      note(
        .note, table,
        "the foreign key \(quoted(constraint.name)) sets a default when its row is deleted; the class sets nil")
      return .nullify
    }
  }

  /// The effect of a row's deletion on its pairs: it removes them, unless the foreign key forbids it.
  private func pairRule(
    _ constraint: Catalogue.Constraint, of table: Catalogue.Table
  ) -> RelationshipDescription.DeleteRule {
    constraint.action == .noAction || constraint.action == .restrict ? .deny : .nullify
  }
}
