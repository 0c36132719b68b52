import DatabaseFiles
import Foundation
import SQLite

/// The files of big values that no row refers to after a migration in one transaction; they are deleted after its commit.
final class MigratedFiles {
  private var file: StoreFile?
  /// The files that the old rows name.
  private var former: Set<UUID> = []
  private var surplus: Set<UUID> = []
  private var folder: DraftFolder?

  /// Cost: one scan of each table with big values.
  func begin(_ store: PersistentStore, _ connection: Connection) throws {
    guard let url = store.url, !store.layout.externalColumns.isEmpty else { return }
    // The migration renames or drops the tables that the triggers belong to.
    try store.externalDataWriter.stopReleasing(on: connection)
    file = try StoreFile(url)
    former = try connection.referencedFiles(of: store.layout.externalColumns)
  }

  /// Notes the files that no row names any more.
  func prepareCommit(on connection: Connection) throws {
    guard let file, !former.isEmpty else { return }
    surplus = former.subtracting(try connection.namedFiles())
    guard !surplus.isEmpty else { return }
    do {
      let folder = try AbandonedDraft.folder(for: file, .migrating)
      self.folder = folder
      try AbandonedDraft.note(surplus, in: folder)
    } catch let error as CocoaError { throw StoreError(path: file.path, error) }
  }

  /// Removes the files that no row names, whether the transaction was committed or not.
  func settle() {
    guard let file, !surplus.isEmpty else { return }
    AbandonedDraft.settle(surplus, of: file, in: folder, busyTimeout: .seconds(5))
  }
}
