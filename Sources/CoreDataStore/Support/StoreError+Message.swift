import ErrorReporting
import ManagedModel
import SQLite

extension StoreError {
  package var description: String {
    let subject = path.map { "the store at \(quotedPath($0))" } ?? "the store in memory"
    return "\(subject) \(predicate)" + (remedy.map { " — \($0)" } ?? "")
  }

  package var problem: String { "the store \(predicate)" }

  /// The problem, without its subject, which is the store.
  package var predicate: String {
    switch kind {
    case .missing: "does not exist"
    case .folderMissing(let folder, let reason):
      "cannot be made, because its folder \(quotedPath(folder)) cannot be made: \(reason)"
    case .directory: "is a folder"
    case .notARegularFile: "is neither a file nor a link to one"
    case .symbolicLinkLoop: "is a symbolic link that leads in a circle"
    case .brokenLink: "is a symbolic link to a file that does not exist"
    case .parentNotAFolder(let path): "does not exist: \(quotedPath(path)) is a file, not a folder"
    case .empty: "is an empty file"
    case .truncated(let expected, let found): "is cut off: it has \(found) of \(expected) bytes"
    case .foreign(let kind): kind.predicate
    case .notCoreData(let tables):
      "is an SQLite database, but no Core Data store: it has no \(tables.joined(separator: " and no "))"
    case .unreadable(let reason, _): "cannot be read: \(reason)"
    case .folderNotWritable(let folder):
      "cannot be written: this user may not create files in the folder \(quotedPath(folder))"
    case .fileNotWritable: "cannot be written: the file may only be read"
    case .leftover(let file): "cannot be made: \(quotedPath(file)) is left over from another database"
    case .readOnly: "was opened for reading only"
    case .unusableMetadata(let error): "has unusable metadata: \(error)"
    case .noModel: "carries no model of its own, and none was given"
    case .unreadableModel(let reason): "carries a model that cannot be read: \(reason)"
    case .partialModel(let entities):
      "carries no model of its own, and the given one lacks \(abbreviatedList(entities.map(quoted)))"
    case .otherModel(let mismatches):
      "was made with another model: " + abbreviatedList(mismatches.map(\.description), separator: "; ")
    case .unusableModel(let reason, _): "cannot have tables for the model: \(reason)"
    case .missingColumns(let table, let columns):
      columns.isEmpty
        ? "has no table \(quoted(table)), which its model asks for"
        : "has no \(Self.words(columns)) in table \(quoted(table)), which its model asks for"
    case .missingOwnColumns(let table, let columns):
      "has no \(Self.words(columns)) in table \(quoted(table)), which every store has"
    case .missingHistoryColumns(let table, let columns):
      "has no \(Self.words(columns)) in table \(quoted(table)), which its history needs"
    case .locked: "is locked: another connection or process holds it"
    case .closed: "is closed"
    case .replaced: "was removed, moved or replaced while it was open"
    case .migrated: "was migrated to another model while it was open"
    case .migrating: "is being migrated by the stage that opens it"
    case .writtenMeanwhile: "was not migrated: other programs wrote to it each time"
    case .externalData(let error): "has a big value whose file cannot be used: \(error.problem)"
    case .sqlite(let error):
      switch error.code {
      case .corrupt: "is damaged: \(error.message)"
      case .full: "could not be written: the disk is full"
      case .ioError: "could not be read or written: \(error.message) (SQLite error \(error.extendedCode))"
      case .outOfMemory: "asked for more memory than there is"
      case .cannotOpen: "could not be opened: \(error.message)"
      case .constraint: "did not take a row: \(error.message)"
      case .authorization: "did not take a row: a trigger of another program does what no trigger may do"
      default: "failed: \(error)"
      }
    }
  }

  private static func words(_ columns: [String]) -> String {
    "column\(columns.count == 1 ? "" : "s") \(abbreviatedList(columns.map(quoted)))"
  }

  package var remedy: String? {
    switch kind {
    case .missing: "check the path, or give a model to make a new store"
    case .folderMissing: "choose another path, or make the folder"
    case .directory, .notARegularFile: "give the path of the store's file"
    case .symbolicLinkLoop, .brokenLink: "correct the link"
    case .parentNotAFolder: "correct the path"
    case .empty: "remove the file to have a new store made, or restore it from a backup"
    case .truncated: "restore it from a backup, together with its -wal file"
    case .foreign(let kind): kind.remedy
    case .notCoreData: "give a store made by Core Data or SwiftData"
    case .unreadable(_, let remedy): remedy ?? "check the permissions of the file and of its folder"
    case .folderNotWritable: "change the folder's permissions, or open the store for reading only"
    case .fileNotWritable: "change the file's permissions, or open the store for reading only"
    case .leftover: "put the store's file back beside it, or remove it: SQLite would mix it into the new store"
    case .readOnly: "open the store for writing"
    case .unusableMetadata: "restore the store from a backup"
    case .noModel: "give the model it was made with"
    case .unreadableModel: "give the model the store was made with"
    case .partialModel: "give the whole model it was made with"
    case .otherModel: "open it with the model it was made with, or migrate it"
    case .unusableModel(_, let remedy): remedy ?? "correct the model"
    case .missingColumns, .missingOwnColumns: "the store was changed by another program: restore it from a backup"
    case .missingHistoryColumns: "repair the store with `store-tool doctor --repair`, or restore it from a backup"
    case .locked: "end the other transaction or program, or allow a longer timeout"
    case .closed: "open it again"
    case .replaced: "close it, put its files back together, and open it again"
    case .migrated: "close it, and open it again with the new model"
    case .migrating: "use the stage's context"
    case .writtenMeanwhile: "close them, and open it again"
    case .externalData(let error): error.remedy
    case .sqlite(let error):
      switch error.code {
      case .corrupt: "restore it from a backup, together with its -wal file"
      case .full: "free some space, and try again"
      case .ioError: "check the disk, and try again"
      case .outOfMemory: "work with fewer objects at a time, and try again"
      case .cannotOpen: "check that the file and its folder are there and may be read and written"
      case .constraint:
        "change the values, or remove the trigger or constraint of another program from the store's file"
      case .authorization: "remove the trigger from the store's file"
      default: "see the SQLite error"
      }
    }
  }
}

extension StoreError.EntityMismatch: CustomStringConvertible {
  package var description: String {
    switch reason {
    case .notInStore(let nearest): "entity \(quoted(entity)) is not in the store\(suggestion(nearest))"
    case .differs(let changes) where changes.isEmpty: "entity \(quoted(entity)) has another version hash"
    case .differs(let changes): abbreviatedList(changes.map(\.description), separator: "; ")
    }
  }
}
