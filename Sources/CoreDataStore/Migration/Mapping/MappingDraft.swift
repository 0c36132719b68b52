import DatabaseFiles
import Foundation
import SQLite

/// The new store of a mapping model, written beside the old one, which nobody else uses.
final class MappingDraft {
  /// The new store's file.
  let url: URL
  private let old: StoreFile
  private let folder: DraftFolder

  /// - Throws: ``StoreError``
  init(of url: URL) throws {
    old = try StoreFile(url)
    let name = URL(fileURLWithPath: old.resolvedPath).lastPathComponent
    do {
      folder = try DraftFolder(of: name, in: old.folder, purpose: "mapping")
    } catch {
      throw StoreError(path: old.path, .folderNotWritable(old.folder))
    }
    self.url = folder.url.appendingPathComponent(name)
  }

  /// The files of big values of the old store, and of the new one.
  private var formerValues: ExternalDataFolder { ExternalDataFolder(storePath: old.resolvedPath) }
  private var values: ExternalDataFolder { ExternalDataFolder(storePath: url.path) }

  /// Renames the new store to the old store's name, and moves its files to their folder. Neither store may be open.
  ///
  /// - Throws: ``StoreError``; the old store is as it was.
  func publish() throws {
    do {
      // SQLite would take a log that stays beside the old store for the new store's log.
      for path in [old.resolvedPath, url.path] { try Connection(path: path, mode: .readWrite).finish() }
      let (former, names) = try (StoreFile.namedFiles(at: old.resolvedPath), StoreFile.namedFiles(at: url.path))
      var added: [UUID] = []
      do {
        try values.share(names, with: formerValues, added: &added)
        guard rename(url.path, old.resolvedPath) == 0 else { throw StoreError.system(errno, path: old.path) }
      } catch {
        formerValues.remove(added)
        throw error
      }
      formerValues.remove(former.subtracting(names))
    } catch let error as SQLiteError {
      throw StoreError(path: old.path, error)
    } catch let error as ExternalDataError {
      throw StoreError(path: old.path, .externalData(error))
    }
  }
}

extension StoreError {
  fileprivate static func system(_ code: Int32, path: String) -> StoreError {
    StoreError(
      path: path, SQLiteError(extendedCode: ResultCode.ioError.rawValue, message: SystemError(code).reason))
  }
}
