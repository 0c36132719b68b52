import ErrorReporting
import ManagedModel

extension ModelBuilder {
  /// Adds the keys of a table. Leaves out a key that is a one-to-one relationship, and a key whose values the database gives out.
  mutating func addUniquenessConstraints(to position: Int) {
    let draft = drafts[position]
    let table = draft.table
    let surrogate = table.constraints.first { $0.kind == .primaryKey && $0.columns.count == 1 }.flatMap {
      draft.columns[$0.columns[0]] == nil ? $0.columns : nil
    }
    var constraints: [[String]] = []
    for key in table.keys where key != surrogate {
      guard let names = draft.properties(key) else {
        let columns = key.compactMap { table.column($0)?.name }
        note(
          .warning, table,
          "the uniqueness of \(abbreviatedList(columns.map(quoted))) is left out: not all have properties")
        continue
      }
      // The two sides of a one-to-one relationship exclude one another already.
      if key.count == 1, case .relationship? = draft.columns[key[0]] { continue }
      if !constraints.contains(names) { constraints.append(names) }
    }
    drafts[position].uniquenessConstraints = constraints
  }

  mutating func addIndexes(to position: Int) {
    let draft = drafts[position]
    let table = draft.table
    var known = Set(draft.uniquenessConstraints)
    for index in table.indexes {
      if index.isUnique, !index.isPartial, !index.hasExpressions { continue }
      guard index.method == "btree", !index.isPartial, !index.hasExpressions,
        let names = draft.properties(index.columns)
      else {
        noteLoss(of: index, table)
        continue
      }
      // A store has an index of each foreign key.
      if names.count == 1, case .relationship? = draft.columns[index.columns[0]] { continue }
      guard known.insert(names).inserted else { continue }
      let isPlain = !index.isDescending.contains(true)
      drafts[position].indexes.append(
        FetchIndexDescription(
          name: isPlain ? "SwiftDataIndexOnBinary" + names.joined() : index.name,
          elements: zip(names, index.isDescending).map {
            FetchIndexDescription.Element(subject: .property($0), isAscending: !$1)
          }))
    }
  }

  private mutating func noteLoss(of index: Catalogue.Index, _ table: Catalogue.Table) {
    let kind = index.isUnique ? "unique index" : "index"
    note(
      index.isUnique ? .warning : .note, table, "the \(kind) \(quoted(index.name)) is left out: it \(reason(index))")
  }

  private func reason(_ index: Catalogue.Index) -> String {
    if index.isPartial { return "covers a part of the rows" }
    if index.hasExpressions { return "has an expression" }
    if index.method != "btree" { return "is of the kind \(quoted(index.method))" }
    return "has a column without a property"
  }

  /// Notes the keys and indexes of a table of pairs: a many-to-many relationship has none but that of the pairs.
  mutating func noteKeys(ofPairs table: Catalogue.Table) {
    let pair = Set(table.columns.map(\.number))
    for key in table.keys where Set(key) != pair {
      let columns = key.compactMap { table.column($0)?.name }
      note(
        .warning, table,
        "the uniqueness of \(abbreviatedList(columns.map(quoted))) is left out: the relationship is many-to-many")
    }
    for index in table.indexes where index.isPartial || index.hasExpressions || index.method != "btree" {
      noteLoss(of: index, table)
    }
  }

  mutating func noteChecks(of table: Catalogue.Table) {
    if table.hasTriggers { note(.note, table, "its triggers are left out") }
    if table.hasPolicies { note(.note, table, "its row security is left out: a store shows all rows") }
    if table.hasComments { note(.note, table, "its comments and those of its columns are left out") }
    for constraint in table.constraints {
      switch constraint.kind {
      case .check: note(.note, table, "the check \(quoted(constraint.name)) is left out")
      case .exclusion: note(.note, table, "the exclusion constraint \(quoted(constraint.name)) is left out")
      case .primaryKey, .unique: noteEquality(constraint.equality, of: constraint.name, table)
      case .foreignKey: break
      }
    }
    for index in table.indexes where index.isUnique && !index.isPartial && !index.hasExpressions {
      noteEquality(index.equality, of: index.name, table)
    }
  }

  private mutating func noteEquality(_ equality: Catalogue.KeyEquality, of name: String, _ table: Catalogue.Table) {
    if equality.joinsNulls {
      note(
        .note, table,
        "the uniqueness \(quoted(name)) allows one row without a value, and that of the class allows several")
    }
    if equality.joinsTexts {
      note(
        .note, table,
        "the uniqueness \(quoted(name)) takes different texts as equal by its collation, and that of the class compares characters"
      )
    }
    if equality.joinsPeriods {
      note(
        .note, table,
        "the uniqueness \(quoted(name)) takes overlapping periods as equal, and that of the class compares their texts")
    }
  }
}
