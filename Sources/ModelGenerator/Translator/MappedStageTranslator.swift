import ErrorReporting
import ManagedModel

/// Turns a mapping model into the code of a migration stage.
///
/// The stage itself keeps the rows of corresponding entities and the values of corresponding properties, as Core Data
/// infers them. Code is written for four cases only:
/// - an entity has no counterpart;
/// - the mapping model leaves rows behind;
/// - an expression computes a value;
/// - a relationship is of another kind.
struct MappedStageTranslator {
  let resolution: MappingResolution
  let source: VersionParts
  let destination: VersionParts
  /// The name of the plan, for notes.
  let plan: String
  let stage: String
  let correspondence: MappedCorrespondence
  var claims: NameClaims
  /// For each entity mapping, the variable that leads from source identifiers to new objects.
  private(set) var tables: [String: String] = [:]
  /// The variables that statements look objects up in.
  var needed: Set<String> = []
  var helpers: Set<MappedStageDeclaration.Helper> = []
  var stubs: [MappedStageDeclaration.StubDeclaration] = []
  var modules: Set<String> = []
  private(set) var remarks: [(what: String, remedy: String)] = []

  init(
    _ resolution: MappingResolution, from source: VersionParts, to destination: VersionParts, plan: String,
    stage: String
  ) {
    self.resolution = resolution
    self.source = source
    self.destination = destination
    self.plan = plan
    self.stage = stage
    correspondence = MappedCorrespondence(resolution, source: source.graph, destination: destination.graph)
    claims = NameClaims(
      reserved: ReservedNames.types.union(ReservedNames.keywords).union(ReservedNames.properties)
        .union(source.names.typeNames).union(destination.names.typeNames)
        .union(MappedStageDeclaration.Helper.allCases.map(\.rawValue)).union([
          "context", "object", "row", "left", "right", "key", "type", "identifier", "schemas", "stages", "rowKey",
          "Unwritten", MappedStageDeclaration.Helper.error, stage, plan,
        ]))
  }

  mutating func translate() -> MappedStageDeclaration {
    let active = correspondence.active
    for entity in active where entity.destination != nil {
      tables[entity.mapping.name] = claims.claim(Self.variable(entity.mapping.name))
    }
    let unmapped = correspondence.unmapped.map { entity in
      remarks.append(
        (
          "in the mapping model \(quoted(resolution.mapping.name)), no entity mapping takes the rows of "
            + "\(quoted(entity.name)); they stay behind, as with Core Data", "nothing, unless the rows are wanted"
        ))
      return departure(of: entity)
    }
    var entities: [MappedStageDeclaration.EntityDeclaration] = []
    var declared: Set<String> = []
    for entity in active {
      guard let declaration = declaration(of: entity) else { continue }
      entities.append(declaration)
      declared.insert(entity.mapping.name)
    }
    // Tables that only the relationships of other mappings look up.
    for entity in active where !declared.contains(entity.mapping.name) {
      guard let table = tables[entity.mapping.name], needed.contains(table) else { continue }
      var declaration = self.skeleton(entity)
      if case .kept = declaration.origin {
      } else {
        declaration.row = row(MappedRow(version: source, entity: entity.source?.name ?? ""), of: entity)
      }
      entities.append(declaration)
    }
    for index in entities.indices {
      let entity = entities[index]
      let isLoop = !entity.resets.isEmpty || !entity.assignments.isEmpty || entity.policy != nil
      if let table = entity.table, !isLoop, !needed.contains(table) { entities[index].table = nil }
    }
    if entities.contains(where: { $0.row?.condition != nil }) { modules.insert("Foundation") }
    return MappedStageDeclaration(
      mapping: resolution.mapping.name, entities: entities, unmapped: unmapped, stubs: stubs, helpers: helpers,
      modules: modules)
  }

  private static func variable(_ name: String) -> String {
    SwiftIdentifier.lowercased(SwiftIdentifier.typeName(name, fallback: "Mapping"))
  }

  // MARK: Entities

  private mutating func declaration(
    of entity: MappingResolution.Entity
  ) -> MappedStageDeclaration.EntityDeclaration? {
    let mapping = entity.mapping
    guard let old = entity.source else {
      if let policy = mapping.policyClassName {
        remark(
          "the policy class \(quoted(policy)) of the entity mapping \(quoted(mapping.name)), which has no source rows",
          "make its objects in \(plan).\(stage)")
      }
      return nil
    }
    var row = MappedRow(version: source, entity: old.name)
    if mapping.policyClassName != nil { row.addEverything() }
    var declaration = skeleton(entity)
    let rowName = claims.claim(Self.rowName(mapping))
    if let new = entity.destination {
      if case .inserted = declaration.origin {
        declaration.origin = creation(of: new, entity, &row, rowName: rowName)
      }
      if correspondence.isKept(entity), filter(of: entity) != nil, let table = declaration.table {
        declaration.filtered = .init(departure: departure(of: new), taken: claims.claim("\(table)Taken"))
      }
      for property in correspondence.properties(of: entity) {
        let (resets, assignments) = statements(property, of: entity, new, &row, rowName)
        declaration.resets += resets
        declaration.assignments += assignments
      }
    }
    if let policy = mapping.policyClassName {
      declaration.policy = policyStub(policy, entity, rowName: rowName)
    }
    let isInserted = if case .inserted = declaration.origin { true } else { false }
    guard
      isInserted || !declaration.resets.isEmpty || !declaration.assignments.isEmpty || declaration.policy != nil
        || declaration.filtered != nil
    else { return nil }
    declaration.row = self.row(row, of: entity, name: rowName)
    return declaration
  }

  private static func rowName(_ mapping: EntityMapping) -> String {
    SwiftIdentifier.typeName(mapping.name, fallback: "Mapping") + "Row"
  }

  private mutating func skeleton(
    _ entity: MappingResolution.Entity
  ) -> MappedStageDeclaration.EntityDeclaration {
    let mapping = entity.mapping
    let table = tables[mapping.name]
    var origin = MappedStageDeclaration.Origin.none
    if let old = entity.source, let new = entity.destination {
      if !correspondence.isKept(entity) {
        origin = .inserted("\(destination.type(of: new.name))()", readsRow: false)
      } else {
        origin = old.name == new.name ? .kept : .renamed(keys: claims.claim("\(table ?? "")Keys"))
      }
    }
    return MappedStageDeclaration.EntityDeclaration(
      comment: quoted(mapping.name), table: table,
      destination: entity.destination.map { destination.type(of: $0.name) },
      origin: origin)
  }

  private mutating func row(
    _ row: MappedRow, of entity: MappingResolution.Entity, name: String? = nil
  ) -> MappedStageDeclaration.RowDeclaration? {
    guard let old = entity.source else { return nil }
    let name = name ?? claims.claim(Self.rowName(entity.mapping))
    var condition: String?
    var function: String?
    if let format = filter(of: entity) {
      let translated = PredicateSource(graph: source.graph, names: source.names).translate(format, entity: old.name)
      if let translated, translated.parameters.isEmpty, translated.captures.isEmpty {
        condition = translated.condition
      } else {
        let stub = claims.claim("takes" + SwiftIdentifier.capitalized(name))
        function = stub
        addStub(
          stub, ["Whether the entity mapping \(quoted(entity.mapping.name)) takes a row: \(onOneLine(format))"],
          ["_ object: \(source.type(of: old.name))"], result: "Bool",
          reason: "the filter of the entity mapping \(quoted(entity.mapping.name))")
        remark(
          "the filter of the entity mapping \(quoted(entity.mapping.name)): \(onOneLine(format, limit: 300))",
          "write \(plan).\(stub)")
      }
    }
    modules.formUnion(row.modules)
    return MappedStageDeclaration.RowDeclaration(
      name: name, variable: claims.claim(SwiftIdentifier.lowercased(name) + "s"), source: source.type(of: old.name),
      isExact: !source.graph.subentities(of: old.name).isEmpty, condition: condition, filter: function,
      fields: row.fields)
  }

  /// The condition of an entity mapping on its source rows; `nil` if it takes all.
  private func filter(of entity: MappingResolution.Entity) -> String? {
    guard let format = entity.mapping.sourceFilter, PredicateParser.predicate(format) != .value(true) else {
      return nil
    }
    return format
  }

  // MARK: Rows that stay behind

  /// The deletion of an object without the effects of its delete rules.
  ///
  /// Links are cleared first. A mandatory link cannot be cleared, and the developer says what becomes of its destination.
  private mutating func departure(of entity: EntityDescription) -> MappedStageDeclaration.DepartureDeclaration {
    var statements: [String] = []
    var fixed: [String] = []
    for case .relationship(let relationship) in destination.graph.properties(of: entity.name)
    where relationship.deleteRule != .nullify && !relationship.isTransient {
      guard let declared = destination.property(relationship.name, of: entity.name) else { continue }
      if let statement = Self.clearing(declared) {
        statements.append(statement)
      } else {
        fixed.append(relationship.name)
      }
    }
    if !fixed.isEmpty {
      let names = fixed.map { quoted($0) }.joined(separator: ", ")
      let function = claims.claim("leaveBehind" + SwiftIdentifier.typeName(entity.name))
      addStub(
        function,
        [
          "Prepares the deletion of a row of \(quoted(entity.name)) that the mapping model leaves behind.",
          "",
          "The object requires \(names), whose delete rule reaches other objects. Save them from it here, or let them go.",
        ], ["_ object: \(destination.type(of: entity.name))", "_ context: ModelContext"], result: nil,
        reason: "the deletion of rows of \(quoted(entity.name)), whose delete rule for \(names) reaches other objects")
      remark(
        "the deletion of rows of \(quoted(entity.name)), whose delete rule for \(names) reaches other objects",
        "write \(plan).\(function)")
      statements.append("try \(function)(object, context)")
    }
    return .init(
      destination: destination.type(of: entity.name),
      isExact: !destination.graph.subentities(of: entity.name).isEmpty, statements: statements)
  }

  /// The statement that clears a relationship of an `object`; `nil` for a mandatory object.
  static func clearing(_ declared: PropertyDeclaration) -> String? {
    let target = "object.\(ExpressionRenderer.identifier(declared.name))"
    if declared.type.isArray { return "\(target) = []" }
    return declared.type.isOptional ? "\(target) = nil" : nil
  }

  // MARK: Notes

  mutating func addStub(
    _ name: String, _ comments: [String], _ parameters: [String], result: String?, reason: String
  ) {
    stubs.append(
      .init(comments: comments, name: name, parameters: parameters, result: result, reason: reason))
  }

  mutating func remark(_ what: String, _ remedy: String) {
    remarks.append(("the mapping model \(quoted(resolution.mapping.name)) leaves work: \(what)", remedy))
  }
}
