import ErrorReporting

/// The reason why the file of a big value cannot be read or written.
package struct ExternalDataError: ReportableError, Sendable, Hashable {
  /// The file or folder.
  package let path: String
  package let kind: Kind

  package enum Kind: Sendable, Hashable {
    /// A symbolic link, which may lead outside of the folder.
    case symbolicLink
    case notAFolder
    case notARegularFile
    /// The size exceeds the limit.
    case tooLarge(Int64, limit: Int)
    /// The system's message.
    case system(String)
  }
}

extension ExternalDataError {
  package var problem: String {
    switch kind {
    case .symbolicLink: "\(quotedPath(path)) is a symbolic link, which is not followed"
    case .notAFolder: "\(quotedPath(path)) is no folder"
    case .notARegularFile: "\(quotedPath(path)) is no file"
    case .tooLarge(let size, let limit): "\(quotedPath(path)) has \(size) bytes; at most \(limit) can be read"
    case .system(let reason): "\(quotedPath(path)): \(reason)"
    }
  }

  package var remedy: String? {
    switch kind {
    case .symbolicLink: "put the folder or the file itself in its place"
    case .notAFolder, .notARegularFile: "move away what is there"
    case .tooLarge: "read the file by itself"
    case .system: "check the permissions, and the space on the disk"
    }
  }
}
