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
        printer.comment("\(stage.name) is in \(plan.name)+\(stage.name).swift: it cannot be inferred.")
        for obstacle in stage.obstacles { printer.comment("- \(obstacle)", continuation: "  ") }
      }
    }
  }

  func render(customStage stage: MigrationStageDeclaration, plan: String, _ printer: inout SourcePrinter) {
    printer.block("extension \(plan)") { printer in
      printer.comment("From ``\(stage.from)`` to ``\(stage.to)``, by hand. What cannot be inferred:", prefix: "/// ")
      printer.comment("", prefix: "///")
      for obstacle in stage.obstacles { printer.comment("- \(obstacle)", prefix: "/// ", continuation: "  ") }
      render(stage, &printer)
    }
  }

  private func render(_ stage: MigrationStageDeclaration, _ printer: inout SourcePrinter) {
    let versions = ["fromVersion: \(stage.from).self", "toVersion: \(stage.to).self"]
    let closures = ["willMigrate: nil", "didMigrate: nil"]
    printer.list(
      "static let \(stage.name) = MigrationStage.\(stage.isLightweight ? "lightweight" : "custom")(",
      stage.isLightweight ? versions : versions + closures, ")")
  }
}
