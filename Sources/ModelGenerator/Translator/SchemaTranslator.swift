import ManagedModel

/// Decides how Swift declares the model of one version, and notes what the declarations leave out.
struct SchemaTranslator {
  let graph: EntityGraph
  let names: SwiftNames
  let inverses: InverseSides
  let dialect: ModelGenerator.Dialect
  let version: String
  private(set) var notes: [GeneratorNote] = []
  /// The modules to import, because declarations use their types.
  private(set) var modules: Set<String> = []

  init(_ version: ModelVersions.Version, reserved: Set<String>, dialect: ModelGenerator.Dialect) {
    graph = EntityGraph(version.model)
    names = SwiftNames(graph, reserved: reserved)
    inverses = InverseSides(graph)
    self.dialect = dialect
    self.version = version.name
  }

  /// The version's namespace.
  mutating func schema(name: String, number: Int, comments: [String]) -> SchemaDeclaration {
    var classes = graph.model.entities.map { classDeclaration(for: $0) }
    addInitializers(to: &classes)
    let composites = names.composites.map { structDeclaration(for: $0) }
    var schema = SchemaDeclaration(
      comments: comments, name: name, versionNumber: number, classes: classes, composites: composites,
      enumerations: names.enumerations.map { enumDeclaration(for: $0) })
    schema.comments += collectingComments { $0.addWholeModel(to: &schema) }
    return schema
  }

  private func enumDeclaration(for enumeration: EnumerationDescription) -> EnumDeclaration {
    EnumDeclaration(
      name: names.type(of: enumeration),
      cases: zip(SwiftNames.cases(of: enumeration), enumeration.labels).map {
        EnumDeclaration.Case(name: $0, label: $1)
      })
  }

  /// Aliases for the version's classes, composites and enumerations.
  func typeAliases(schema: String) -> [TypeAliasDeclaration] {
    let types =
      graph.model.entities.map { names.type(of: $0.name) } + names.composites.map { names.type(of: $0) }
      + names.enumerations.map { names.type(of: $0) }
    return types.map { TypeAliasDeclaration(name: $0, target: "\(schema).\($0)") }
  }
}

// MARK: - Notes

extension SchemaTranslator {
  /// Adds a note about a fact that the declarations leave out; `what` is a noun phrase.
  mutating func note(
    _ severity: GeneratorNote.Severity, _ entity: String?, _ property: String?, _ what: String, remedy: String
  ) {
    notes.append(
      GeneratorNote(
        severity: severity, version: version, entity: entity, property: property,
        what: "not expressed: \(what)",
        remedy: remedy))
  }

  /// Adds a note about a fetch request template or a configuration.
  mutating func note(at place: GeneratorNote.Place, _ what: String, remedy: String) {
    note(.note, nil, nil, what, remedy: remedy)
    notes[notes.count - 1].place = place
  }

  /// Whether the dialect can express a fact. For Apple's API, adds a note and returns `false`; this package's dialect
  /// expresses everything.
  mutating func maySpell(
    _ severity: GeneratorNote.Severity, _ entity: String?, _ property: String?, _ what: String
  ) -> Bool {
    if dialect == .open { return true }
    note(
      severity, entity, property, "\(what), which Apple's API cannot express", remedy: "use --dialect open to keep it")
    return false
  }

  /// Runs a part of the translation and returns its notes as comments for the current declaration.
  mutating func collectingComments(_ body: (inout Self) -> Void) -> [String] {
    let start = notes.count
    body(&self)
    return notes[start...].map { SwiftIdentifier.capitalized($0.what) + ($0.what.hasSuffix(".") ? "" : ".") }
  }

  mutating func usesFoundation(for userInfo: [String: UserInfoValue]) {
    if userInfo.values.contains(where: UserInfoExpression.needsFoundation) { modules.insert("Foundation") }
  }

  mutating func uses(_ type: TypeReference) -> TypeReference {
    if let module = type.module { modules.insert(module) }
    return type
  }
}
