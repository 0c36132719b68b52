import ErrorReporting
import ManagedModel

/// Decides which files are generated for a bundle, and the content of each file.
struct BundleTranslator {
  private let bundle: ModelVersions
  private let options: ModelGenerator.Options
  private let names: BundleNames

  init(_ bundle: ModelVersions, options: ModelGenerator.Options) {
    self.bundle = bundle
    self.options = options
    names = BundleNames(bundle)
  }

  func translate() throws(GeneratorError) -> Translation {
    var translation = Translation()
    var parts: [VersionParts] = []
    for (index, version) in bundle.versions.enumerated() {
      try ModelCheck.check(version)
      var translator = SchemaTranslator(version, reserved: names.all, dialect: options.dialect)
      let schema = translator.schema(
        name: names.schema(index), number: bundle.number(index), comments: comments(for: version))
      translation.files.append(file(names.schema(index), .schema(schema), modules: translator.modules))
      translation.notes += translator.notes
      parts.append(VersionParts(schema: schema, names: translator.names, graph: translator.graph))
      if index == bundle.currentIndex {
        translation.aliases = translator.typeAliases(schema: names.schema(index))
      }
    }
    let plan = MigrationPlanTranslator(bundle, names: names, parts: parts).plan(notes: &translation.notes)
    translation.files.append(file(plan.name, .migrationPlan(plan)))
    for stage in plan.stages where !stage.isLightweight {
      var stub = file("\(plan.name)+\(stage.name)", .customStage(stage, plan: plan.name))
      stub.ownership = .developer
      // Only this module sees the declarations in the file.
      stub.imports = (stage.mapped?.modules ?? []).union(["SwiftData"]).sorted(by: codeUnitOrder)
        .map { ImportDeclaration(module: $0, isExposed: false) }
      translation.files.append(stub)
    }
    var aliases = file(names.models, .typeAliases(translation.aliases))
    aliases.imports = []
    translation.files.append(aliases)
    return translation
  }

  private func comments(for version: ModelVersions.Version) -> [String] {
    let identifiers = version.model.versionIdentifiers.filter { !$0.isEmpty }.map { quoted($0) }
    let suffix = identifiers.isEmpty ? "" : ", identifier \(identifiers.joined(separator: ", "))"
    return ["The model version \(quoted(version.name))\(suffix)."]
  }

  /// An import is exposed if declarations of the file are visible outside the module.
  private func file(_ name: String, _ content: SourceFile.Content, modules: Set<String> = []) -> SourceFile {
    let imports = modules.union(["SwiftData"]).sorted(by: codeUnitOrder)
    return SourceFile(
      name: "\(name).swift", ownership: .generator, source: bundle.source,
      imports: imports.map { ImportDeclaration(module: $0, isExposed: options.access != .internal) },
      content: content)
  }
}

/// Files and notes before rendering.
struct Translation {
  var files: [SourceFile] = []
  var notes: [GeneratorNote] = []
  var aliases: [TypeAliasDeclaration] = []
}

/// The names of the generated files' top-level declarations; each name is a file's name too.
struct BundleNames: Sendable {
  private let prefix: String
  private let numbers: [Int]

  init(_ bundle: ModelVersions) {
    var prefix = SwiftIdentifier.typeName(bundle.name, fallback: "Model")
    // File names are limited to 255 bytes.
    while prefix.utf8.count > 120 { prefix.removeLast() }
    if ReservedNames.types.contains("\(prefix)MigrationPlan") { prefix += "Bundle" }
    self.prefix = prefix
    numbers = bundle.versions.indices.map(bundle.number)
  }

  func schema(_ index: Int) -> String { "\(prefix)SchemaV\(numbers[index])" }
  var migrationPlan: String { "\(prefix)MigrationPlan" }
  var models: String { "\(prefix)Models" }
  var all: Set<String> { Set(numbers.indices.map(schema) + [migrationPlan]) }
}
