extension Connection {
  /// Runs a closure in a part of the present transaction, which is undone if the closure throws.
  package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    try execute("SAVEPOINT swiftdata")
    do {
      let result = try body()
      try execute("RELEASE SAVEPOINT swiftdata")
      return result
    } catch {
      dropPending()
      if isUsable, isInTransaction { _ = try? execute("ROLLBACK TO SAVEPOINT swiftdata; RELEASE SAVEPOINT swiftdata") }
      throw error
    }
  }
}
