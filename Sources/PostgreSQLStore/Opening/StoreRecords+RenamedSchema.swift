import ErrorReporting
import PostgreSQL
import StoreRequests

extension StoreRecords {
  /// Makes the functions of derived attributes anew if they name the tables of another schema, because somebody has renamed this one.
  ///
  /// Such functions fail. If another store has the former name by now, they change that store instead. So the values are computed anew, too.
  /// Cost: one query if the store has derived attributes along relationships.
  /// - Throws: ``StoreProblem`` if the role may not do it: a save would leave wrong values.
  func followRenaming(_ layout: StoreLayout) throws {
    let triggers = layout.derivationTriggers
    guard !triggers.isEmpty, !connection.isInTransaction, try hasFunctionsOfAnotherSchema(triggers) else { return }
    do {
      try connection.transaction(with: .unlimited) {
        try lock()
        guard try hasFunctionsOfAnotherSchema(triggers) else { return }
        for statement in triggers.flatMap(\.renewals) { try connection.execute(statement) }
        for derivation in triggers {
          try connection.execute(derivation.refresh)
          try DerivedTexts(connection: connection, layout: layout).completeAll(derivation)
        }
      }
    } catch {
      throw StoreProblem(
        "\(connection.address): the schema \(quoted(options.schema)) was renamed, and its triggers of derived attributes still name the "
          + "former schema: \(error)",
        remedy: "let the role that owns the tables open the store once")
    }
  }

  private func hasFunctionsOfAnotherSchema(_ triggers: [DerivationTriggers]) throws -> Bool {
    try connection.run(
      """
      SELECT 1 FROM pg_proc WHERE pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1::name)
        AND proname = ANY ($2::name[]) AND position($3 IN prosrc) = 0 LIMIT 1
      """,
      [
        .text(options.schema), .texts(triggers.flatMap(\.functions).map(\.name)),
        .text("\(Identifier(options.schema))."),
      ]
    ).rowCount > 0
  }
}
