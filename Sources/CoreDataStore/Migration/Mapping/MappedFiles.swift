import Foundation
import SQLite

/// Gives each row of a migrated store a file of its own for each big value, as Core Data has it.
///
/// A mapping model may set several attributes, or attributes of several rows, to one old value. A row that is deleted removes its file, so no
/// two values may name the same one.
struct MappedFiles {
  let old: ExternalDataFolder
  let new: ExternalDataFolder

  /// The name of the function that gives a new row the content of an old row's column.
  static let function = "OSD_OWN_FILE"

  func register(on connection: Connection) throws {
    try connection.registerFunction(Self.function, argumentCount: 1, isDeterministic: false) { arguments in
      guard let stored = arguments.blob(0) else { return .null }
      return .blob(try self.own(stored))
    }
  }

  /// The content of a new column, made from the content of an old column.
  ///
  /// The first value keeps the file's name. Each further value gets a new name for the same bytes. A value whose file is missing stays
  /// unchanged.
  /// - Throws: ``ExternalDataError``
  private func own(_ stored: Data) throws(ExternalDataError) -> Data {
    guard let name = StoredData(stored).fileName else { return stored }
    guard case .exists = try old.share(name, with: new, as: name) else { return stored }
    let further = UUID()
    guard case .done = try old.share(name, with: new, as: further) else { return stored }
    return StoredData.file(further).bytes
  }
}
