import ErrorReporting

/// A sum that leaves an engine's integers, at its end or on the way.
///
/// The client of a ``ValueEngine`` can ask for the single values, and add them itself.
package struct SumOverflow: ReportableError {
  package init() {}

  package var problem: String { "a sum is beyond the integers that the store computes with" }
  package var remedy: String? { "fetch the values, and add them in a wider type" }
}
