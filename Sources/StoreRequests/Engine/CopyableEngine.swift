package import Foundation

/// An engine whose store can be copied to a file while programs go on saving.
package protocol CopyableEngine: StoreEngine {
  /// Copies the store to a file, as it is between two saves.
  ///
  /// - Parameter replacesExisting: whether a store at `file` is replaced, in one transaction.
  /// - Returns: the names of files that the store lacks, and so does the copy.
  /// - Throws: the engine's own errors. What is at `file` is then as it was.
  func copy(toFile file: URL, replacesExisting: Bool) throws -> [String]
}
