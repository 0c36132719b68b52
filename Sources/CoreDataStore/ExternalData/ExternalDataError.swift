/// The reason why the file of a big value cannot be read or written.
package struct ExternalDataError: Error, Sendable, Hashable {
  /// The file or folder.
  package let path: String
  package let kind: Kind

  package enum Kind: Sendable, Hashable {
    /// A symbolic link, which may lead outside of the folder.
    case symbolicLink
    case notAFolder
    case notARegularFile
    /// The size exceeds the largest value.
    case tooLarge(Int64)
    /// The system's message.
    case system(String)
  }
}

extension ExternalDataError: CustomStringConvertible {
  package var description: String { "\(problem) — \(remedy)" }

  var problem: String {
    switch kind {
    case .symbolicLink: "“\(path)” is a symbolic link, which is not followed"
    case .notAFolder: "“\(path)” is no folder"
    case .notARegularFile: "“\(path)” is no file"
    case .tooLarge(let size): "“\(path)” has \(size) bytes; at most \(StoredData.maximum) can be read"
    case .system(let reason): "“\(path)”: \(reason)"
    }
  }

  var remedy: String {
    switch kind {
    case .symbolicLink: "put the folder or the file itself in its place"
    case .notAFolder, .notARegularFile: "move away what is there"
    case .tooLarge: "read the file by itself"
    case .system: "check the permissions, and the space on the disk"
    }
  }
}
