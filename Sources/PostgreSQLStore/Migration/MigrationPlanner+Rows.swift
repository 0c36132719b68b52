import ManagedModel
import PostgreSQL
import StoreRequests

extension MigrationPlanner {
  /// The rows of a new table: of each entity that has rows in the old store.
  mutating func plan(_ table: TableLayout) throws -> TablePlan {
    var plan = TablePlan(table: table, schema: new.schema)
    for entity in table.entities {
      guard let source = source(of: entity), !source.description.isAbstract else { continue }
      if entity.description.isAbstract {
        check(
          "SELECT count(*) FROM \(old.table(of: source).sql) o WHERE \(rowTest(of: source))", entity.name, nil,
          .becomesAbstract)
        continue
      }
      plan.copies.append(try copy(of: source, as: entity))
    }
    return plan
  }

  private mutating func copy(of source: StoreEntity, as entity: StoreEntity) throws -> RowCopy {
    var copy = RowCopy(source: source, destination: entity)
    for property in entity.properties {
      let former = try properties[entity.name]?[property.name].flatMap { name in
        source.property(named: name) == nil ? nil : try old.property(name, of: source)
      }
      switch try new.property(property.name, of: entity) {
      case .attribute(let attribute):
        for (leaf, column) in zip(attribute.attribute.leaves, attribute.columns) {
          copy.values[column.name] = try value(of: leaf, column, attribute, from: former, &copy)
        }
      case .toOne(let relationship):
        copy.values.merge(keys(of: relationship, from: former), uniquingKeysWith: { first, _ in first })
      case .toMany: break
      }
    }
    copy.values.merge(virtualKeys(of: copy), uniquingKeysWith: { first, _ in first })
    return copy
  }

  // MARK: Attributes

  private mutating func value(
    of leaf: StoreAttribute.Leaf, _ column: ColumnLayout, _ attribute: AttributeLayout, from former: PropertyLayout?,
    _ copy: inout RowCopy
  ) throws -> MigratedValue? {
    let (entity, source) = (copy.destination.name, copy.source)
    let isMandatory =
      attribute.attribute.requiresValue || !leaf.attribute.isOptional && leaf.attribute.derivation == nil
    let fallback = leaf.attribute.initialLiteral(column)
    let description = attribute.attribute.description
    func refuse(_ reason: MigrationObstacle.Reason, at place: String? = nil) throws -> Never {
      throw MigrationError(
        obstacle: MigrationObstacle(entity: entity, property: place ?? description.name, reason: reason), rowCount: nil)
    }
    guard let former else {
      if let fallback { return .literal(fallback) }
      if isMandatory { checkNoRows(of: source, entity, description.name) }
      return nil
    }
    guard case .attribute(let oldAttribute) = former else { try refuse(.kindChange) }
    let oldDescription = oldAttribute.attribute.description
    guard let index = oldAttribute.index(of: leaf, in: attribute) else {
      // An element that the composite did not have.
      guard description.type == .composite, oldDescription.type == .composite else {
        try refuse(.typeChange(from: oldDescription.type, to: description.type))
      }
      guard isMandatory || fallback != nil else { return nil }
      guard let value = fallback ?? leaf.attribute.type.emptyLiteral else {
        checkNoRows(of: source, entity, leaf.spelledPath)
        return nil
      }
      guard description.isOptional else { return .literal(value) }
      // A structure that is nil stays nil.
      let isThere = oldAttribute.columns.map { "o.\($0.name) IS NOT NULL" }.joined(separator: " OR ")
      return .computed("CASE WHEN \(isThere) THEN \(value) END")
    }
    let (oldLeaf, oldColumn) = (oldAttribute.attribute.leaves[index].attribute, oldAttribute.columns[index])
    switch description.formerPayload(of: leaf.path, in: oldDescription) {
    case .whole, nil: break
    case .member(let label):
      let former = "o.\(oldColumn.name)"
      let object = oldColumn.type == .jsonb ? former : "convert_from(\(former), 'UTF8')::jsonb"
      return .computed(PayloadMembers(label: label, attribute: leaf.attribute).value(of: object, in: column))
    case .unknown: try refuse(.payloadChange, at: leaf.spelledPath)
    }
    guard let conversion = oldLeaf.type.conversion(to: leaf.attribute.type) else {
      try refuse(.typeChange(from: oldLeaf.type, to: leaf.attribute.type), at: leaf.spelledPath)
    }
    let plain = "o.\(oldColumn.name)"
    let contents = column.contentsConversion(from: oldColumn, plain)
    let converted = contents ?? conversion.sql("\(oldColumn.name)")
    let isSame = converted == "\(oldColumn.name)"
    func computed(_ sql: String) -> MigratedValue {
      contents == nil ? .converted(oldColumn.name, sql: sql) : .computed(sql)
    }
    if let misfits = conversion.misfits {
      check(
        "SELECT count(*) FROM \(old.table(of: source).sql) o WHERE \(rowTest(of: source)) AND \(misfits(plain))",
        entity, leaf.spelledPath, .outOfRange(leaf.attribute.type))
    }
    let wasMandatory = oldAttribute.attribute.requiresValue || !oldLeaf.isOptional
    if isMandatory, wasMandatory {
      copy.required[column.name] = RequiredValue(property: leaf.spelledPath, fallback: fallback)
    }
    if isMandatory, !wasMandatory {
      if let fallback {
        let sql = "coalesce(\(converted), \(fallback))"
        return isSame ? .adjusted(oldColumn.name, sql: sql, rows: "\(plain) IS NULL") : computed(sql)
      }
      check(
        "SELECT count(*) FROM \(old.table(of: source).sql) o WHERE \(rowTest(of: source)) AND \(plain) IS NULL", entity,
        leaf.spelledPath, .missingValue(of: .formerProperty))
    }
    return isSame ? .column(oldColumn.name) : computed(converted)
  }

  private mutating func checkNoRows(of source: StoreEntity, _ entity: String, _ property: String) {
    check(
      "SELECT count(*) FROM \(old.table(of: source).sql) o WHERE \(rowTest(of: source))", entity, property,
      .missingValue(of: .newProperty))
  }

  // MARK: Statements

  /// Creates the tables that replace old ones, and adds columns to the tables that stay.
  mutating func addTablesAndColumns() {
    for plan in plans {
      guard let base = plan.base else {
        create(plan)
        continue
      }
      if plan.table.hasKinds, !base.hasKinds, let name = plan.copies.first?.destination.name {
        run("ALTER TABLE \(plan.present) ADD COLUMN \(TableLayout.kindDefinition) DEFAULT \(sqlLiteral(name))")
        run("ALTER TABLE \(plan.present) ALTER COLUMN \(TableLayout.kind) DROP DEFAULT")
      } else if let kind = plan.kind, kind != TableLayout.kind {
        run("ALTER TABLE \(plan.present) ADD COLUMN \(kind) text COLLATE \"C\"")
      }
      for column in plan.table.columns { if let name = plan.added[column.name] { add(column, as: name, plan) } }
      convertColumns(of: plan)
    }
    for index in joins.indices { place(index) }
  }

  private mutating func create(_ plan: TablePlan) {
    var lines = ["\(TableLayout.key) bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"]
    if plan.table.hasKinds { lines.append(TableLayout.kindDefinition) }
    lines.append("\(TableLayout.version) bigint NOT NULL DEFAULT 1")
    lines += plan.table.columns.map(\.definition)
    run("CREATE TABLE \(plan.present) (\(lines.joined(separator: ", ")))")
  }

  /// Creates a join table that replaces an old one.
  private mutating func place(_ index: Int) {
    let join = joins[index]
    if let base = join.base {
      joins[index].presentName = base.name
      return
    }
    let name = formerNames.contains(join.table.name) ? temporaryName() : join.table.name
    joins[index].presentName = name
    var lines = [join.table.own, join.table.other].map { "\($0) bigint NOT NULL" }
    lines += [join.table.order, join.table.inverseOrder].compactMap(\.self).map { "\($0) bigint" }
    lines.append("PRIMARY KEY (\(join.table.own), \(join.table.other))")
    run("CREATE TABLE \(new.qualified(name)) (\(lines.joined(separator: ", ")))")
  }

  /// Adds a column. A default that all rows have is recorded by the server without writing them.
  private mutating func add(_ column: ColumnLayout, as name: Identifier, _ plan: TablePlan) {
    var column = ColumnLayout(name: name, type: column.type).definition
    let default_ = commonDefault(plan, named: name)
    if let default_ { column += " DEFAULT \(default_)" }
    run("ALTER TABLE \(plan.present) ADD COLUMN \(column)")
    if default_ != nil { run("ALTER TABLE \(plan.present) ALTER COLUMN \(name) DROP DEFAULT") }
  }

  /// Gives columns another type in one statement, in which the server writes the table anew. An `UPDATE` of all rows takes several times as
  /// long, and leaves the old rows behind.
  private mutating func convertColumns(of plan: TablePlan) {
    let clauses = plan.table.columns.flatMap { column -> [String] in
      guard let conversion = plan.converted[column.name] else { return [] }
      let name = conversion.column.name
      // A default of an administrator may have no value of the new type.
      return [
        "ALTER COLUMN \(name) DROP DEFAULT",
        "ALTER COLUMN \(name) TYPE \(column.typeDefinition) USING \(conversion.sql)",
      ]
    }
    if !clauses.isEmpty { run("ALTER TABLE \(plan.present) \(clauses.joined(separator: ", "))") }
  }

  /// The value that all old rows get in an added column; `nil` if they differ.
  private func commonDefault(_ plan: TablePlan, named present: Identifier) -> String? {
    guard let column = plan.added.first(where: { $0.value == present })?.key,
      case .literal(let sql)? = plan.copies.first?.values[column]
    else { return nil }
    return plan.copies.allSatisfy { $0.values[column] == .literal(sql) } ? sql : nil
  }

  /// Writes all rows of a table that replaces an old one, or the changed values of a table that stays.
  mutating func writeRows(of plan: TablePlan) {
    guard let base = plan.base else {
      for copy in plan.copies { run(insertion(of: copy, plan)) }
      return
    }
    if let kind = plan.kind, kind != TableLayout.kind {
      let cases = plan.copies.map { "WHEN \(sqlLiteral($0.source.name)) THEN \(sqlLiteral($0.destination.name))" }
      run("UPDATE \(plan.present) SET \(kind) = CASE \(TableLayout.kind) \(cases.joined(separator: " ")) END")
    }
    for copy in plan.copies {
      var sets: [String] = []
      var adjustments: [(set: String, rows: String)] = []
      for column in plan.table.columns {
        let value = copy.values[column.name]
        let name = plan.present(column.name)
        if let kept = plan.kept[column.name] {
          switch value {
          case .column(kept.name): break
          case .adjusted(kept.name, let sql, let rows): adjustments.append(("\(name) = \(sql)", rows))
          case nil: if holds(copy.source, kept.name) { sets.append("\(name) = NULL") }
          case let value?: sets.append("\(name) = \(value.sql)")
          }
        } else if let value, plan.converted[column.name] == nil, commonDefault(plan, named: name) == nil {
          sets.append("\(name) = \(value.sql)")
        }
      }
      let test = base.hasKinds ? rowTest(of: copy.source) : nil
      if !sets.isEmpty {
        // All at once: each value is made from the row as it was.
        sets += adjustments.map(\.set)
        run("UPDATE \(plan.present) o SET \(sets.joined(separator: ", "))\(test.map { " WHERE \($0)" } ?? "")")
      } else {
        for (set, rows) in adjustments {
          run("UPDATE \(plan.present) o SET \(set) WHERE \([test, rows].compactMap(\.self).joined(separator: " AND "))")
        }
      }
    }
  }

  /// Whether rows of an old entity may have a value in a column.
  func holds(_ entity: StoreEntity, _ column: Identifier) -> Bool {
    let own = entity.properties.contains { property in
      switch try? old.property(property.name, of: entity) {
      case .attribute(let attribute): attribute.columns.contains { $0.name == column }
      case .toOne(let relationship): relationship.key.name == column || relationship.order == column
      case .toMany, nil: false
      }
    }
    return own || virtualSides.old.contains { $0.side.column == column || $0.side.order == column }
  }

  private func insertion(of copy: RowCopy, _ plan: TablePlan) -> String {
    var columns = [TableLayout.key, TableLayout.version]
    var values = ["o.\(TableLayout.key)", "o.\(TableLayout.version)"]
    if plan.table.hasKinds {
      columns.append(TableLayout.kind)
      values.append(sqlLiteral(copy.destination.name))
    }
    for column in plan.table.columns {
      guard let value = copy.values[column.name] else { continue }
      columns.append(column.name)
      values.append(value.sql)
    }
    return "INSERT INTO \(plan.present) (\(columns.map(\.description).joined(separator: ", "))) "
      + "SELECT \(values.joined(separator: ", ")) FROM \(old.table(of: copy.source).sql) o WHERE \(rowTest(of: copy.source))"
  }

  /// Deletes the rows of entities that the new model lacks.
  mutating func deleteLeftRows(of plan: TablePlan) {
    guard plan.hasLeftRows, let base = plan.base else { return }
    run(
      "DELETE FROM \(plan.present) o WHERE NOT (\(kindTest(plan.copies.map(\.source.name), in: base, alias: "o")))")
  }
}

extension ColumnLayout {
  /// A value in the form in which this column has the same contents; `nil` if both columns have one form.
  fileprivate func contentsConversion(from old: ColumnLayout, _ value: String) -> String? {
    switch (old.type, type) {
    // JSON that the new attribute takes as bytes.
    case (.jsonb, .bytes): "convert_to(\(value)::text, 'UTF8')"
    case (let array, .jsonb) where array.element != nil: array.element.map { JSONForm.sql(array: value, of: $0) }
    default: nil
    }
  }
}

extension AttributeLayout {
  /// The place of the leaf that a leaf of a new attribute comes from.
  func index(of leaf: StoreAttribute.Leaf, in new: AttributeLayout) -> Int? {
    let path = new.attribute.description.formerPath(of: leaf.path, in: attribute.description)
    return attribute.leaves.firstIndex { $0.path == path }
  }
}

extension StoreAttribute.Leaf {
  /// The path as messages spell it.
  fileprivate var spelledPath: String { MigrationObstacle.spelling(of: path) }
}
