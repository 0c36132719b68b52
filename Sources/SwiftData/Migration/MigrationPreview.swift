package import ManagedModel
package import StoreRequests

/// The steps by which a container would migrate a store of an engine that migrates by itself; for previews of migrations.
package struct MigrationPreview: Sendable {
  package let steps: [Step]

  /// A stage of a plan, or the inferred changes.
  package struct Step: Sendable {
    /// Such as "TripsV1 to TripsV2".
    package let name: String
    package let from: ModelDescription?
    package let to: ModelDescription
    package let keepsOtherEntities: Bool
    /// The program's own statements.
    package var statementsBefore: [String] = []
    package var statementsAfter: [String] = []
    /// Whether code of the program runs.
    package var hasCodeBefore = false
    package var hasCodeAfter = false
  }

  /// - Parameter place: of the store, for errors.
  /// - Throws: ``SwiftDataError`` as the container does.
  package init(
    of stored: StoredVersion, at place: String, to schema: Schema, plan: (any SchemaMigrationPlan.Type)?,
    options: MigrationOptions
  ) throws {
    let model = try schema.lowered()
    let inferred = Step(name: "the changes", from: nil, to: model, keepsOtherEntities: true)
    guard let versions = try MigrationGoal(model: model, plan: plan, prepare: { $0 }).versions() else {
      steps = [inferred]
      return
    }
    let route: MigrationRoute?
    do {
      route = try MigrationRoute(of: stored, named: place, to: model, versions: versions)
    } catch let error as UnlistedVersion {
      guard options.infersUnlistedVersions else { throw error.reported }
      steps = [inferred]
      return
    }
    var steps = (route?.steps ?? []).map { step in
      var result = Step(name: "\(step)", from: step.from.model, to: step.to.model, keepsOtherEntities: false)
      switch step.stage {
      case .lightweight: break
      case .sql(_, _, let before, let after): (result.statementsBefore, result.statementsAfter) = (before, after)
      case .custom(_, _, let before, let after):
        (result.hasCodeBefore, result.hasCodeAfter) = (before != nil, after != nil)
      case .sideBySide: result.hasCodeAfter = true
      }
      return result
    }
    if let last = route?.last {
      steps.append(
        Step(name: "the classes", from: steps.last?.to ?? route?.source, to: last, keepsOtherEntities: false))
    }
    self.steps = steps
  }
}
