internal import Synchronization

/// The reads that fail in the code of a migration's stages.
///
/// A getter cannot throw: it logs the failure and returns a default. A stage would write such defaults into the new rows, so the stage fails.
final class StageReads: Sendable {
  private let failure = Mutex<SwiftDataError?>(nil)

  fileprivate func note(_ error: SwiftDataError) { failure.withLock { $0 = $0 ?? error } }

  /// - Throws: the first failure, if a read has failed.
  func check() throws { if let failure = failure.withLock({ $0 }) { throw failure } }
}

/// The part of a migration's stage for which a container is open: the run of one closure of the program.
///
/// The container's contexts tell it of reads that fail.
final class StageCode: Sendable {
  private let reads: StageReads
  private let isOver = Mutex(false)

  init(_ reads: StageReads) { self.reads = reads }

  /// The store closes for the closure's objects.
  func end() { isOver.withLock { $0 = true } }

  /// Takes note of a getter that has returned a default.
  func noteUnreadable(_ object: any PersistentModel, _ problem: any Error) {
    let name = String(reflecting: type(of: object))
    reads.note(
      isOver.withLock { $0 }
        ? SwiftDataError(
          .loadIssueModelContainer,
          "an object of \(name) was read after its stage; read it in willMigrate, and keep its values instead of the object"
        )
        : SwiftDataError(
          .loadIssueModelContainer, "an object of \(name) could not be read: \(problem)", underlyingError: problem))
  }
}
