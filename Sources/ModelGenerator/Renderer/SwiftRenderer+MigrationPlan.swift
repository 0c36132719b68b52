import ErrorReporting

extension SwiftRenderer {
  func render(_ plan: MigrationPlanDeclaration, _ printer: inout SourcePrinter) {
    for comment in plan.comments { printer.comment(comment, prefix: "/// ") }
    printer.block("\(modifier)enum \(plan.name): SchemaMigrationPlan") { printer in
      printer.block("\(modifier)static var schemas: [any VersionedSchema.Type]") {
        $0.list("[", plan.schemas.map { "\($0).self" }, "]", trailingComma: true)
      }
      printer.line()
      printer.block("\(modifier)static var stages: [MigrationStage]") {
        $0.list("[", plan.stages.map(\.name), "]", trailingComma: true)
      }
      for stage in plan.stages where stage.isLightweight {
        printer.line()
        render(stage, &printer)
      }
      for stage in plan.stages where !stage.isLightweight {
        printer.line()
        let file = "\(stage.name) is in \(plan.name)+\(stage.name).swift, because"
        if let mapped = stage.mapped {
          printer.comment("\(file) the mapping model \(quoted(mapped.mapping)) says how rows change.")
        } else {
          printer.comment("\(file) it cannot be inferred:")
          render(stage.obstacles, prefix: "// ", &printer)
        }
      }
    }
  }

  /// Prints a stage that the developer completes. It compiles unchanged, and its comments say what to do.
  func render(customStage stage: MigrationStageDeclaration, plan: String, _ printer: inout SourcePrinter) {
    if let mapped = stage.mapped { return render(mappedStage: stage, mapped, plan: plan, &printer) }
    printer.block("extension \(plan)") { printer in
      printer.comment(
        "From ``\(stage.from)`` to ``\(stage.to)``, by hand. Changes that cannot be inferred:", prefix: "/// ")
      printer.comment("", prefix: "///")
      render(stage.obstacles, prefix: "/// ", &printer)
      printer.line("static let \(stage.name) = MigrationStage.custom(")
      printer.indented { printer in
        printer.line("fromVersion: \(stage.from).self,")
        printer.line("toVersion: \(stage.to).self,")
        printer.line("willMigrate: { context in")
        printer.indented {
          $0.comment("The store holds objects of \(stage.from). Keep the data that would be lost, and save.")
        }
        printer.line("},")
        printer.line("didMigrate: { context in")
        printer.indented {
          $0.comment("The store holds objects of \(stage.to). Set the values that could not be converted, and save.")
        }
        printer.line("}")
      }
      printer.line(")")
    }
  }

  private func render(
    _ obstacles: [MigrationStageDeclaration.EntityObstacles], prefix: String, _ printer: inout SourcePrinter
  ) {
    for entity in obstacles {
      printer.comment("- \(entity.entity)", prefix: prefix, continuation: "  ")
      for change in entity.changes { printer.comment("- \(change)", prefix: prefix + "  ", continuation: "  ") }
    }
  }

  private func render(_ stage: MigrationStageDeclaration, _ printer: inout SourcePrinter) {
    printer.list(
      "static let \(stage.name) = MigrationStage.lightweight(",
      ["fromVersion: \(stage.from).self", "toVersion: \(stage.to).self"], ")")
  }
}
