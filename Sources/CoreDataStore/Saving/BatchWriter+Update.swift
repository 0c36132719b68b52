import ManagedModel
import SQLite
import StoreRequests

extension BatchWriter {
  /// Sets attributes of the selected rows. All new values are computed from the rows' old values.
  ///
  /// Cost: one statement to find the rows, and one to write them. Triggers of derived attributes run as in any update.
  /// - Throws: ``BatchRefusal`` if a value cannot be computed for one of the rows, or two rows clash.
  mutating func update(_ selection: BatchSelection, _ assignments: [BatchAssignment]) throws {
    let entity = try layout.existingEntity(selection.entityName)
    let written = try columns(of: assignments, entity)
    let table = try open(entity)
    for assignment in assignments {
      guard let requirement = assignment.requirement else { continue }
      let refused = FetchExpression.conjunction([selection.predicate, .not(requirement)].compactMap(\.self))
      var request = selection.request
      request.predicate = refused
      request.limit = 1
      let statement = try connection.statement(SelectStatement.keys(request, in: layout))
      defer { statement.reset() }
      if try statement.step() {
        throw BatchRefusal.incomputable(entity: entity.name, attribute: assignment.attribute)
      }
    }
    try connection.execute("DELETE FROM \(table.selected)")
    let seed = try SelectStatement.keys(selection.request, in: layout)
    try connection.statement(seed, before: "INSERT INTO \(table.selected) (Z_PK, Z_ENT) ").run()
    let ordinals = try lastOrdinals(\.updated)
    let isFirst = ordinals[table] == 0 && !layout.entities.contains { $0.table == table.table && $0.hasTimeOfChange }
    let attributes = Set(assignments.map(\.attribute)).sorted()
    try connection.statement(
      "INSERT INTO \(table.updated) (Z_PK, Z_ENT, COLUMNS) SELECT m.Z_PK, m.Z_ENT, \(bits(of: attributes, in: entity)) "
        + "FROM \(table.selected) m WHERE 1 "
        + "ON CONFLICT (Z_PK) DO UPDATE SET COLUMNS = \(BatchTable.uniteBits)(COLUMNS, excluded.COLUMNS)"
    ).run()
    let values = ValueRequest(
      entityName: selection.entityName, includesSubentities: selection.includesSubentities,
      predicate: selection.predicate, values: [.object(FetchPath())] + assignments.map(\.value))
    let select = try SelectStatement(values, in: layout)
    let sets = written.map { "\($0.column) = \($0.value)" } + (isFirst ? ["Z_OPT = Z_OPT + 1"] : [])
    let names = (["k", "e"] + assignments.indices.map { "v\($0)" }).joined(separator: ", ")
    if isFirst { try refuseLastVersions(in: table, entity) }
    do {
      try connection.statement(
        select, before: "WITH s (\(names)) AS (",
        after: ") UPDATE \(entity.table) SET \(sets.joined(separator: ", ")) FROM s WHERE \(entity.table).Z_PK = s.k"
      ).run()
    } catch let error as SQLiteError where error.extendedCode == SQLiteError.uniqueConstraint {
      throw BatchRefusal.notUnique(entity: entity.name)
    }
    try checkAreWritten(table.selectedRows, of: entity)
    if !isFirst { try bumpVersions(after: ordinals) }
  }

  /// The columns that an update writes, with the names of their values: assigned columns, and columns computed from them.
  private func columns(
    of assignments: [BatchAssignment], _ entity: EntityLayout
  ) throws -> [(column: Identifier, value: String)] {
    var written: [(column: Identifier, value: String)] = []
    for (index, assignment) in assignments.enumerated() {
      let column = try layout.attributeColumn(assignment.attribute, element: assignment.element, of: entity)
      guard !column.isExternal, column.attribute.derivation == nil else {
        throw BatchRefusal.unsupported(entity: entity.name, property: assignment.attribute)
      }
      written.removeAll { $0.column == column.name }
      written.append((column.name, "s.v\(index)"))
    }
    let sources = written
    for kind in entity.kindNumbers.compactMap({ layout.entity(numbered: $0) }) {
      for case .attribute(let attribute) in kind.properties {
        guard let column = attribute.column?.name, let computed = ComputedColumn(attribute, of: kind),
          let value = computed.sql(written: { source in sources.first { $0.column == source }?.value })
        else { continue }
        if case .now = computed { continue }
        // A column of a subentity is not computed for rows of other entities.
        guard entity.property(named: attribute.description.name) != nil else {
          throw BatchRefusal.unsupported(entity: kind.name, property: attribute.description.name)
        }
        if !written.contains(where: { $0.column == column }) { written.append((column, value)) }
      }
    }
    return written
  }
}

extension Connection {
  /// A prepared statement around the text of a query, with the query's values bound.
  fileprivate func statement(
    _ select: SelectStatement, before: String = "", after: String = ""
  ) throws -> Statement {
    let statement = try statement(before + select.sql + after)
    for (index, value) in select.bindings.enumerated() { try statement.bind(value, at: index + 1) }
    return statement
  }
}
