/// The output of a run whose exit status tells what the run has found.
///
/// The status tells it also if the output cannot be written, as on a full disk. The run goes on to its end, and then says so.
package struct VerdictOutput {
  private var failure: Failure?

  package init() {}

  /// Prints a part of the output, unless an earlier part could not be written.
  ///
  /// - Throws: the errors of `body`, but for an output that cannot be written; ``Failure`` without messages if the reader is gone.
  package mutating func print(_ body: () throws -> Void) throws {
    guard failure == nil else { return }
    do { try body() } catch let failure as Failure where !failure.diagnostics.isEmpty { self.failure = failure }
  }

  /// Reports that the output could not be written, if so.
  ///
  /// - Parameter status: the status of what the run has found; 0 if it has found nothing.
  /// - Returns: the exit status.
  package func end(_ status: Int32) -> Int32 {
    Console.report(failure?.diagnostics ?? [])
    return status == 0 ? failure?.status ?? 0 : status
  }
}
