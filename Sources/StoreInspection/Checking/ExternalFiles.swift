import CoreDataStore
import ErrorReporting
import Foundation
import SQLite

/// The files of a store's external storage, and the references to them (CD-5).
package struct ExternalFiles: Sendable, Hashable, Encodable {
  /// The path of the folder, whether it exists or not.
  package let folder: String
  /// The number of values in files.
  package internal(set) var references = 0
  /// Referenced names that are not UUIDs. They are never opened.
  package internal(set) var foreignNames: [String] = []
  /// Referenced files that do not exist, sorted.
  package internal(set) var missing: [String] = []
  /// What keeps referenced files from being read, such as a symbolic link in the place of a file; `nil` if nothing does.
  package internal(set) var fileProblems: [FileProblem]?
  /// Files without a reference, sorted.
  package internal(set) var unreferenced: [String] = []
  package internal(set) var fileCount = 0
  package internal(set) var byteCount: Int64 = 0

  /// The reason why the folder cannot be used; `nil` if it can, or does not exist.
  package internal(set) var folderProblem: String?

  /// The reason why a file cannot be read, and what to do.
  package struct FileProblem: Sendable, Hashable, Encodable {
    package let problem: String
    package let remedy: String?
  }

  /// Reads the folder, and the references in columns of big values. Cost: one scan of each of their tables.
  init(_ connection: Connection, _ columns: [ExternalColumn], folder: ExternalDataFolder) throws {
    self.folder = folder.path
    // Reads the folder first, so that a file made meanwhile is not reported as unreferenced.
    let found: [String]
    do { found = try folder.names() } catch { (found, folderProblem) = ([], "\(error)") }
    var names: Set<String> = []
    for column in columns {
      let values = try connection.prepare(column.references)
      while try values.step() {
        references += 1
        let name = values.withBlobBytes(2) { String(decoding: $0.dropFirst().dropLast(), as: UTF8.self) }
        if UUID(uuidString: name)?.uuidString == name { names.insert(name) } else { foreignNames.append(name) }
      }
    }
    for name in found {
      guard let size = folder.size(of: name) else { continue }
      fileCount += 1
      byteCount += size
      if !names.contains(name) { unreferenced.append(name) }
    }
    var problems: [FileProblem] = []
    for name in names.sorted() {
      guard folderProblem == nil, let file = UUID(uuidString: name) else {
        missing.append(name)
        continue
      }
      do {
        if try !folder.hasReadableFile(file) { missing.append(name) }
      } catch {
        problems.append(FileProblem(problem: error.problem, remedy: error.remedy))
      }
    }
    fileProblems = problems.isEmpty ? nil : problems
  }
}

extension StoreSnapshot {
  /// The files of external storage; `nil` for a store without a folder, such as a store in memory.
  func externalFiles(_ layout: StoreLayout) throws -> ExternalFiles? {
    let columns = layout.externalColumns
    guard let folder = externalData, !columns.isEmpty else { return nil }
    return try ExternalFiles(
      connection, columns.filter { has($0.table, "Z_PK", "Z_ENT", $0.column) }, folder: folder)
  }
}

extension StoreChecker {
  /// CD-5: every referenced file exists, and there are no other files.
  mutating func checkExternalFiles(_ layout: StoreLayout) throws {
    guard let files = try store.externalFiles(layout) else { return }
    if let problem = files.folderProblem { expect(.externalFiles, false, files.folder, problem) }
    count(.externalFiles, checked: files.references + files.unreferenced.count)
    for name in files.foreignNames {
      count(.externalReferences, checked: 1, failed: 1)
      report(.externalReferences, .error, name, "the name of a file is no UUID in upper case")
    }
    for file in files.fileProblems ?? [] {
      count(.externalFiles, checked: 0, failed: 1)
      let repair = file.remedy.map { "\($0.prefix(1).uppercased())\($0.dropFirst())." }
      report(.externalFiles, .error, files.folder, file.problem, repair: repair)
    }
    if !files.missing.isEmpty {
      report(
        .externalFiles, .warning, files.folder,
        "\(counted(files.missing.count, "file is", "files are")) missing: \(StoreChecker.listed(files.missing, limit: 3))",
        repair: "Copy the folder to its place beside the store; without it the values are read as nil.")
    }
    if !files.unreferenced.isEmpty {
      report(
        .externalFiles, .warning, files.folder,
        "\(counted(files.unreferenced.count, "file")) that nothing refers to: \(StoreChecker.listed(files.unreferenced, limit: 3))",
        repair: "Delete them, if no program is writing the store at the moment.")
    }
  }
}
