/// A file of Swift source before it is rendered.
struct SourceFile: Sendable, Hashable {
  var name: String
  var ownership: GeneratedFile.Ownership
  /// The bundle that the file comes from, for the header.
  var source: String
  var imports: [ImportDeclaration]
  var content: Content

  enum Content: Sendable, Hashable {
    case schema(SchemaDeclaration)
    case migrationPlan(MigrationPlanDeclaration)
    /// A stage that the developer writes, as an extension of its plan.
    case customStage(MigrationStageDeclaration, plan: String)
    case typeAliases([TypeAliasDeclaration])
  }
}

struct ImportDeclaration: Sendable, Hashable {
  var module: String
  /// Whether declarations that are visible outside the module mention the imported module's types.
  var isExposed: Bool
}
