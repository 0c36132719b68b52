import ErrorReporting
import ManagedModel

/// Turns a mapping model into the code of a migration stage.
///
/// The stage itself keeps the rows of corresponding entities and the values of corresponding properties, as Core Data
/// infers them. Code is written only for the rest: rows of entities that do not correspond, values that an expression
/// computes, and relationships of another kind.
struct MappedStageTranslator {
  let resolution: MappingResolution
  let source: VersionParts
  let destination: VersionParts
  /// The name of the plan, for notes.
  let plan: String
  let stage: String
  private let matching: ModelMatching
  private var claims: NameClaims
  /// For each entity mapping, the variable that leads from source identifiers to new objects.
  private var tables: [String: String] = [:]
  private var stubs: [MappedStageDeclaration.StubDeclaration] = []
  private var modules: Set<String> = []
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
    matching = ModelMatching(from: resolution.source, to: resolution.destination)
    claims = NameClaims(
      reserved: ReservedNames.types.union(source.names.typeNames).union(destination.names.typeNames).union([
        "context", "object", "row", "value", "old", "schemas", "stages", "rowKey", "kept", stage, plan,
      ]))
  }

  mutating func translate() -> MappedStageDeclaration {
    for entity in resolution.entities where entity.destination != nil {
      tables[entity.mapping.name] = claims.claim(Self.variable(entity.mapping.name))
    }
    var needed: Set<String> = []
    var entities: [MappedStageDeclaration.EntityDeclaration] = []
    for entity in resolution.entities {
      if let declaration = declaration(of: entity, &needed) { entities.append(declaration) }
    }
    // Tables that only the relationships of other mappings look up.
    let declared = Set(entities.compactMap(\.table))
    for entity in resolution.entities {
      guard let table = tables[entity.mapping.name], needed.contains(table), !declared.contains(table) else { continue }
      var declaration = self.skeleton(entity, table: table)
      if case .kept = declaration.origin {
      } else {
        declaration.row = row(MappedRow(version: source, entity: entity.source?.name ?? ""), of: entity)
      }
      entities.append(declaration)
    }
    return MappedStageDeclaration(
      mapping: resolution.mapping.name, entities: entities, stubs: stubs, modules: modules)
  }

  private static func variable(_ name: String) -> String {
    SwiftIdentifier.lowercased(SwiftIdentifier.typeName(name, fallback: "mapping"))
  }

  // MARK: Entities

  private mutating func declaration(
    of entity: MappingResolution.Entity, _ needed: inout Set<String>
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
    var declaration = skeleton(entity, table: tables[mapping.name])
    let rowName = claims.claim(SwiftIdentifier.typeName(mapping.name) + "Row")
    if let new = entity.destination {
      if case .inserted = declaration.origin {
        declaration.origin = .inserted(creation(of: new, entity, &row, rowName: rowName))
      }
      for property in entity.properties where !isInferred(property, of: entity) {
        declaration.assignments += statements(property, of: entity, new, &row, rowName, &needed)
      }
    }
    if let policy = mapping.policyClassName {
      declaration.policy = policyStub(policy, entity, rowName: rowName)
    }
    declaration.isFiltered = mapping.sourceFilter != nil
    let isInserted = if case .inserted = declaration.origin { true } else { false }
    guard isInserted || !declaration.assignments.isEmpty || declaration.policy != nil || declaration.isFiltered else {
      return nil
    }
    declaration.row = self.row(row, of: entity, name: rowName)
    return declaration
  }

  private func skeleton(
    _ entity: MappingResolution.Entity, table: String?
  ) -> MappedStageDeclaration.EntityDeclaration {
    let mapping = entity.mapping
    var origin = MappedStageDeclaration.Origin.none
    if let old = entity.source, let new = entity.destination {
      if !isKept(entity) {
        origin = .inserted("\(destination.type(of: new.name))()")
      } else {
        origin = old.name == new.name ? .kept : .renamed
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
    let name = name ?? claims.claim(SwiftIdentifier.typeName(entity.mapping.name) + "Row")
    var condition: String?
    var filter: String?
    if let format = entity.mapping.sourceFilter {
      let translated = PredicateSource(graph: source.graph, names: source.names).translate(format, entity: old.name)
      if let translated, translated.parameters.isEmpty, translated.captures.isEmpty {
        condition = translated.condition
      } else {
        let function = claims.claim("takes" + SwiftIdentifier.capitalized(name))
        filter = function
        addStub(
          function, ["Whether the entity mapping \(quoted(entity.mapping.name)) takes a row: \(onOneLine(format))"],
          ["_ object: \(source.type(of: old.name))"], result: "Bool",
          reason: "the filter of the entity mapping \(quoted(entity.mapping.name))")
      }
    }
    modules.formUnion(row.modules)
    return MappedStageDeclaration.RowDeclaration(
      name: name, variable: claims.claim(SwiftIdentifier.lowercased(name) + "s"), source: source.type(of: old.name),
      isExact: !source.graph.subentities(of: old.name).isEmpty, condition: condition, filter: filter, fields: row.fields
    )
  }

  /// Whether the stage carries the rows of the mapping over by itself. Of several mappings with one source and one
  /// destination, only the first is.
  private func isKept(_ entity: MappingResolution.Entity) -> Bool {
    guard let old = entity.source?.name, let new = entity.destination?.name, matching.source(of: new) == old else {
      return false
    }
    let first = resolution.entities.first { $0.source?.name == old && $0.destination?.name == new }
    return first?.mapping.name == entity.mapping.name
  }

  // MARK: Properties

  /// Whether the stage sets the property by itself to the value that the mapping asks for.
  private func isInferred(_ property: MappingResolution.Property, of entity: MappingResolution.Entity) -> Bool {
    guard isKept(entity), let old = entity.source?.name, let new = entity.destination?.name else {
      if case .none = property.value { return true }
      return false
    }
    let matched = matching.properties(of: new)[property.property.name]
    switch (property.value, property.property) {
    case (.none, _): return true
    case (.unknown, _), (_, .fetchedProperty): return false
    case (.mapped(.source(let path)), .attribute(let attribute)):
      guard path == [matched ?? ""], case .attribute(let former)? = source.graph.property(path[0], of: old) else {
        return false
      }
      return former.type == attribute.type && former.elements == attribute.elements
    case (.mapped(.rows(let path, let mapping)), .relationship(let relationship)):
      guard path == [matched ?? ""], case .relationship(let former)? = source.graph.property(path[0], of: old) else {
        return false
      }
      let carried = resolution.entities.filter { mapping == nil ? true : $0.mapping.name == mapping }
      return carried.allSatisfy(isKept) && former.isToMany == relationship.isToMany
        && matching.source(of: relationship.destinationEntityName) == former.destinationEntityName
        && isSameInverse(former, relationship)
    default: return false
    }
  }

  private func isSameInverse(_ former: RelationshipDescription, _ relationship: RelationshipDescription) -> Bool {
    func inverse(_ relationship: RelationshipDescription, _ graph: EntityGraph) -> RelationshipDescription? {
      guard let name = relationship.inverseName,
        case .relationship(let inverse)? = graph.property(name, of: relationship.destinationEntityName)
      else { return nil }
      return inverse
    }
    guard let one = inverse(former, source.graph), let other = inverse(relationship, destination.graph) else {
      return former.inverseName == nil && relationship.inverseName == nil
    }
    return one.isToMany == other.isToMany
      && matching.properties(of: relationship.destinationEntityName)[other.name] == one.name
  }

  private mutating func statements(
    _ property: MappingResolution.Property, of entity: MappingResolution.Entity, _ new: EntityDescription,
    _ row: inout MappedRow, _ rowName: String, _ needed: inout Set<String>
  ) -> [String] {
    guard let declared = destination.property(property.property.name, of: new.name), declared.isAssignable else {
      return []
    }
    let target = "object.\(ExpressionRenderer.identifier(declared.name))"
    switch (property.value, property.property) {
    case (.none, _): return []
    case (.mapped(.rows(let path, let mapping)), .relationship(let relationship)):
      if let statement = links(path, mapping, relationship, of: entity, target, &row, &needed) { return [statement] }
    case (.mapped(let value), .attribute):
      if let value = MappedExpressions.value(value, &row, wanted: declared.type),
        let statement = MappedExpressions.assignment(target, declared.type, from: value)
      {
        return [statement]
      }
    default: break
    }
    row.addEverything()
    let text = Self.text(of: property.value)
    let function = claims.claim(
      SwiftIdentifier.lowercased(new.name) + SwiftIdentifier.capitalized(SwiftIdentifier.propertyName(declared.name)))
    let name = "\(new.name).\(property.property.name)"
    addStub(
      function,
      ["The value of \(name) in the entity mapping \(quoted(entity.mapping.name)): \(onOneLine(text, limit: 500))"],
      ["_ row: \(rowName)", "_ context: ModelContext"], result: destination.qualified(declared.type),
      reason: "the value of \(name) in the entity mapping \(quoted(entity.mapping.name))")
    remark(
      "the value of \(name) in the entity mapping \(quoted(entity.mapping.name)): \(onOneLine(text, limit: 300))",
      "write \(plan).\(function)")
    return ["\(target) = try \(function)(row, context)"]
  }

  /// The statement that links an object with the new objects of its former destinations.
  private func links(
    _ path: [String], _ mapping: String?, _ relationship: RelationshipDescription, of entity: MappingResolution.Entity,
    _ target: String, _ row: inout MappedRow, _ needed: inout Set<String>
  ) -> String? {
    let wanted = relationship.destinationEntityName
    let found = resolution.linkCandidates(at: path, of: entity, by: mapping, to: wanted).compactMap {
      tables[resolution.entities[$0].mapping.name]
    }
    guard !found.isEmpty, let value = row.value(at: path), value.type.name == SwiftValue.identifier else { return nil }
    needed.formUnion(found)
    let className = destination.type(of: wanted)
    /// The closure that finds the new object of an identifier, in one line or in several.
    let look =
      found.count == 1
      ? "{ \(found[0])[$0] }"
      : "{ key in\n  "
        + found.enumerated().map { ($0.offset == 0 ? "" : "  ?? ") + "\($0.element)[key] as \(className)?" }
        .joined(separator: "\n  ") + "\n}"
    switch (relationship.isToMany, value.type.isArray) {
    case (true, true): return "\(target) = \(value.text).compactMap \(look)"
    case (true, false):
      let list = "[\(value.text)]\(value.type.isOptional ? ".compactMap { $0 }" : "")"
      return "\(target) = \(list).compactMap \(look)"
    case (false, true): return "\(target) = \(value.text).lazy.compactMap(\(look)).first"
    case (false, false):
      let key = value.type.isOptional ? value.text : "Optional(\(value.text))"
      return "\(target) = \(key).flatMap \(look)"
    }
  }

  /// The expression that makes a new object of a row: required attributes are arguments, the rest is assigned later.
  private mutating func creation(
    of new: EntityDescription, _ entity: MappingResolution.Entity, _ row: inout MappedRow, rowName: String
  ) -> String {
    let type = destination.type(of: new.name)
    var arguments: [String] = []
    for parameter in destination.declaration(of: new.name)?.initializer.parameters ?? []
    where parameter.defaultValue == nil {
      guard let value = placeholder(for: parameter.name, of: new.name) else {
        row.addEverything()
        let function = claims.claim("make" + SwiftIdentifier.typeName(new.name))
        addStub(
          function,
          ["The new object of a row in the entity mapping \(quoted(entity.mapping.name)), with all that it requires."],
          ["_ row: \(rowName)", "_ context: ModelContext"], result: type,
          reason: "the object of the entity mapping \(quoted(entity.mapping.name))")
        remark(
          "\(new.name) requires a \(parameter.name), which no expression can give to a new object",
          "write \(plan).\(function)")
        return "try \(function)(row, context)"
      }
      arguments.append("\(ExpressionRenderer.label(parameter.name)): \(value)")
    }
    return "\(type)(\(arguments.joined(separator: ", ")))"
  }

  /// A value that an assignment replaces.
  private func placeholder(for parameter: String, of entity: String) -> String? {
    for property in destination.graph.properties(of: entity) {
      guard destination.property(property.name, of: entity)?.name == parameter,
        case .attribute(let attribute) = property,
        AttributeTypes.type(of: attribute.type) != nil
      else { continue }
      return ExpressionRenderer.render(AttributeTypes.neutralValue(of: attribute.type))
    }
    return nil
  }

  // MARK: Stubs

  private mutating func policyStub(_ policy: String, _ entity: MappingResolution.Entity, rowName: String) -> String {
    let word = policy.split(separator: ".").last.map(String.init) ?? policy
    let function = claims.claim(Self.camelCase(SwiftIdentifier.typeName(word, fallback: "policy")))
    var parameters = ["_ row: \(rowName)"]
    if let new = entity.destination { parameters.append("_ object: \(destination.type(of: new.name))") }
    parameters.append("_ context: ModelContext")
    var comments = [
      "The policy class \(quoted(policy)) of the entity mapping \(quoted(entity.mapping.name)).",
      "",
      "Runs once for each row, after the expressions of the mapping model have been carried out. Write here what the "
        + "class did beyond them.",
    ]
    if !entity.mapping.userInfo.isEmpty {
      let entries = entity.mapping.userInfo.sorted { codeUnitOrder($0.key, $1.key) }.map { key, value in
        if case .string(let text) = value { "\(key) = \(onOneLine(text, limit: 100))" } else { key }
      }
      comments.append("The user info of the mapping: \(entries.joined(separator: ", ")).")
    }
    addStub(
      function, comments, parameters, result: nil,
      reason: "the policy class \(quoted(policy)) of the entity mapping \(quoted(entity.mapping.name))")
    remark(
      "the policy class \(quoted(policy)) of the entity mapping \(quoted(entity.mapping.name))",
      "write \(plan).\(function)")
    return function
  }

  /// `MHWBookToBookPolicy` becomes `mhwBookToBookPolicy`.
  private static func camelCase(_ name: String) -> String {
    let capitals = name.prefix { $0.isUppercase }
    guard capitals.count > 1, capitals.count < name.count else { return SwiftIdentifier.lowercased(name) }
    return capitals.dropLast().lowercased() + name.dropFirst(capitals.count - 1)
  }

  private mutating func addStub(
    _ name: String, _ comments: [String], _ parameters: [String], result: String?, reason: String
  ) {
    stubs.append(
      .init(comments: comments, name: name, parameters: parameters, result: result, reason: reason))
  }

  private mutating func remark(_ what: String, _ remedy: String) {
    remarks.append(("the mapping model \(quoted(resolution.mapping.name)) leaves work: \(what)", remedy))
  }

  private static func text(of value: MappingResolution.Value) -> String {
    switch value {
    case .unknown(let text): text
    case .none: ""
    case .mapped(let value): value.text
    }
  }
}

extension PropertyDeclaration {
  /// Whether a program may set the property: no derived attribute, no fetched property.
  fileprivate var isAssignable: Bool {
    !["FetchedProperty", "Transient"].contains(attribute?.name ?? "")
      && !(attribute?.arguments.contains { if case .call(".derived", _) = $0.value { true } else { false } } ?? false)
  }
}

extension MappedValue {
  /// The value in words of `NSExpression`'s format, for comments.
  fileprivate var text: String {
    switch self {
    case .source(let path): "$source.\(path.joined(separator: "."))"
    case .constant(let tree): tree.format
    case .rows(let path, let mapping):
      "the new objects of $source.\(path.joined(separator: "."))\(mapping.map { " in \(quoted($0))" } ?? "")"
    case .arithmetic(let symbol, let left, let right): "\(left.text) \(symbol) \(right.text)"
    case .letterCase(let isUpper, let value): "\(isUpper ? "uppercase" : "lowercase")(\(value.text))"
    }
  }
}
