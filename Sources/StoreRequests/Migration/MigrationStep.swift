package import ManagedModel

/// A step of a migration: a model to which the rows are brought, and what the program does before and after that.
package struct MigrationStep {
  /// The program's code, with an engine over the rows at that point.
  package typealias Code = (any StoreEngine) throws -> Void

  /// Such as "TripsV1 to TripsV2".
  package var name = "the changes"
  /// Whether the changes follow from the program's classes alone; no stage of a plan asks for them.
  package var isInferred = true
  /// The store's model before the step; `nil` if the store has to know it.
  package var source: ModelDescription?
  /// The model after the step.
  package let model: ModelDescription
  /// Whether entities that the model does not mention stay in the store.
  package var keepsOtherEntities: Bool

  /// The program's own statements.
  package var statementsBefore: [String]
  package var statementsAfter: [String]
  /// Code that sees the rows of the model before, and of the model after.
  package var codeBefore: Code?
  package var codeAfter: Code?
  /// Code that sees both at once: the old rows in a copy.
  package var codeBeside: ((_ old: any StoreEngine, _ new: any StoreEngine) throws -> Void)?

  package var hasCode: Bool { codeBefore != nil || codeAfter != nil || codeBeside != nil }

  /// Whether the program can convert an attribute into a relationship of the same name, or the reverse. The new property begins empty.
  package var convertsKinds: Bool { hasCode || !statementsBefore.isEmpty || !statementsAfter.isEmpty }

  package init(
    _ model: ModelDescription, keepsOtherEntities: Bool = false, statementsBefore: [String] = [],
    statementsAfter: [String] = []
  ) {
    self.model = model
    self.keepsOtherEntities = keepsOtherEntities
    self.statementsBefore = statementsBefore
    self.statementsAfter = statementsAfter
  }
}
