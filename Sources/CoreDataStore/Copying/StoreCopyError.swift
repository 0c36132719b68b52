import ErrorReporting

/// The reason why a store was not copied. The store and the file at the target are unchanged.
package struct StoreCopyError: ReportableError, Sendable, Hashable {
  /// The file that the copy was to become.
  package let path: String
  package let kind: Kind

  package enum Kind: Sendable, Hashable {
    case exists
    /// The target is the store itself, or a file that belongs to it.
    case isSource
    /// The target is a folder, or anything else that cannot be a file; the reason is a predicate.
    case notAFile(reason: String)
    /// The target has its big values in the folder of another store; `nil` if the folder has files that no store beside it names.
    case sharedFolder(String, store: String?)
    /// The target exists and is to be replaced, but is no store.
    case notAStore(reason: String)
    case otherPageSize(store: Int64, target: Int64)
    case folderMissing(String)
    case folderNotWritable(String)
    case noSpace(needed: Int64, free: Int64)
    /// The system's message.
    case system(String)
  }
}

extension StoreCopyError {
  package var description: String { "the copy at \(quotedPath(path)) was not made: \(fullMessage)" }

  package var problem: String {
    switch kind {
    case .exists: "the file exists already"
    case .isSource: "it is the store that is copied, or a file that belongs to it"
    case .notAFile(let reason): "it \(reason)"
    case .sharedFolder(let folder, let store?):
      "its big values would be in \(quotedPath(folder)), which belongs to the store \(quotedPath(store))"
    case .sharedFolder(let folder, nil):
      "its big values would be in \(quotedPath(folder)), which has files that no row of the store there names"
    case .notAStore(let reason): "the file there is no store that can be replaced: \(reason)"
    case .otherPageSize(let store, let target):
      "the file there has pages of \(target) bytes, and the store pages of \(store) bytes"
    case .folderMissing(let folder): "there is no folder \(quotedPath(folder))"
    case .folderNotWritable(let folder): "this user may not create files in the folder \(quotedPath(folder))"
    case .noSpace(let needed, let free): "it needs \(needed) bytes, and the disk has \(free)"
    case .system(let reason): "it cannot be written: \(reason)"
    }
  }

  package var remedy: String? {
    switch kind {
    case .exists: "name another place, or ask for the file to be replaced"
    case .isSource: "name another place"
    case .notAFile: "name another file"
    case .sharedFolder(_, store: .some):
      "name a file in another folder, or a file whose name differs in more than the extension"
    case .sharedFolder(_, nil):
      "name a file in another folder, or remove the files if nothing needs them"
    case .notAStore, .otherPageSize: "remove the file, or name another place"
    case .folderMissing: "make the folder, or name another one"
    case .folderNotWritable: "change the folder's permissions, or name another one"
    case .noSpace: "free some space, or name a place on another disk"
    case .system: "check the permissions, and the space on the disk"
    }
  }
}
