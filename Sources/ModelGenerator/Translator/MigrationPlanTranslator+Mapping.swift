import ErrorReporting
import ManagedModel

extension MigrationPlanTranslator {
  /// The stage with the code of the mapping model between its versions; `nil` if there is none that can be carried out.
  func mapped(
    _ stage: MigrationStageDeclaration, from: Int, to: Int, _ notes: inout [GeneratorNote]
  ) -> MigrationStageDeclaration? {
    let (old, new) = (bundle.versions[from], bundle.versions[to])
    let fitting = bundle.mappings.compactMap { mapping in
      mapping.fit(from: (old.name, old.model), to: (new.name, new.model)).map { (mapping: mapping, fit: $0) }
    }.sorted { ($0.fit, $1.mapping.name) > ($1.fit, $0.mapping.name) }
    guard let (mapping, fit) = fitting.first else { return nil }
    for other in fitting.dropFirst() {
      notes.append(
        note(
          .note, new,
          "the mapping model \(quoted(other.mapping.name)) leads to the version too; \(quoted(mapping.name)) was taken",
          remedy: "remove one of them"))
    }
    if fit == .names {
      notes.append(
        note(
          .note, new,
          "the mapping model \(quoted(mapping.name)) was saved for other entities of the versions with these names",
          remedy: "update the mapping model in Xcode, and read the stage \(stage.name)"))
    }
    do {
      let resolution = try MappingResolution(mapping, from: old.model, to: new.model)
      var translator = MappedStageTranslator(
        resolution, from: parts[from], to: parts[to], plan: names.migrationPlan, stage: stage.name)
      var stage = stage
      stage.mapped = translator.translate()
      notes += translator.remarks.map { note(.note, new, $0.what, remedy: $0.remedy) }
      return stage
    } catch {
      notes.append(
        note(
          .warning, new, "not carried out: \(error.problem)",
          remedy: error.remedy ?? "write \(names.migrationPlan).\(stage.name)"))
      return nil
    }
  }

  /// Notes the mapping models that no stage of the plan carries out.
  func noteUnusedMappings(_ stages: [MigrationStageDeclaration], _ notes: inout [GeneratorNote]) {
    let used = Set(stages.compactMap { $0.mapped?.mapping })
    for mapping in bundle.mappings where !used.contains(mapping.name) {
      guard let last = bundle.versions.last else { return }
      let way = [mapping.source.versionName, mapping.destination.versionName].compactMap { $0.map(quoted) }
      notes.append(
        note(
          .note, last,
          "the mapping model \(quoted(mapping.name))\(way.count == 2 ? ", from \(way[0]) to \(way[1])," : "") belongs to no step of the migration plan",
          remedy: "nothing, unless the step is wanted"))
    }
  }
}
