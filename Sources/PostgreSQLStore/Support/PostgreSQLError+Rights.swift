import ErrorReporting
import PostgreSQL

extension PostgreSQLError {
  /// Whether a policy of row-level security would have hidden rows from a transaction that needs all of them.
  var isOfHiddenRows: Bool { state == .insufficientPrivilege && routine == "check_enable_rls" }

  /// The error of a missing right with the rights that a program needs; another error as it is.
  func namingRights(in schema: String, isReadOnly: Bool) -> PostgreSQLError {
    guard state == .insufficientPrivilege, advice == nil else { return self }
    // A policy of row-level security refuses single rows, whatever the rights are. The message names the table.
    if routine == "ExecWithCheckOptions" { return advising("give the row values that the policies of its table allow") }
    return advising(
      "grant the user the rights that a program needs: USAGE on the schema \(quoted(schema))"
        + (isReadOnly ? "" : " and its sequences")
        + ", and SELECT\(isReadOnly ? "" : ", INSERT, UPDATE and DELETE") on its tables")
  }
}
