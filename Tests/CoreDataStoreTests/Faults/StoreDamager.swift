import CSQLite
import Foundation
import ManagedModel
import ModelArchive
import SQLite
import StoreTestSupport
import TestSupport

@testable import CoreDataStore

/// Does to a store what nobody who means well does, past all of SQLite's own safeguards.
struct StoreDamager {
  struct Failure: Error { let text: String }

  let url: URL

  /// A closed store with a shelf, nine books and three genres of ``SampleModel/library``, and their history.
  static func makeStore(at url: URL) throws { try template.get().write(to: url) }

  private static let template = Result {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: SampleModel.library)
    try SavingProcess.addShelf(to: store)
    for number in 1...3 { try SavingProcess.save(number, store) }
    store.close()
    return try Data(contentsOf: folder.url)
  }

  /// Runs a script with a connection that may write to the schema.
  func sql(_ script: String) throws {
    var pointer: OpaquePointer?
    defer { sqlite3_close(pointer) }
    guard sqlite3_open(url.path, &pointer) == SQLITE_OK else { throw Failure(text: "cannot open") }
    guard sqlite3_exec(pointer, "PRAGMA writable_schema = ON;" + script, nil, nil, nil) == SQLITE_OK else {
      throw Failure(text: String(cString: sqlite3_errmsg(pointer)))
    }
  }

  /// Replaces text in the definitions of the schema.
  func definition(of name: String, _ old: String, _ new: String) throws {
    try sql(
      """
      UPDATE sqlite_master SET sql = replace(sql, \(Identifier.literal(old)), \(Identifier.literal(new))) \
      WHERE name = \(Identifier.literal(name))
      """)
  }

  /// Changes bytes of the file.
  func bytes(_ change: (inout Data) -> Void) throws {
    var data = try Data(contentsOf: url)
    change(&data)
    try data.write(to: url)
  }

  func companion(_ suffix: String, _ data: Data) throws {
    try data.write(to: URL(fileURLWithPath: url.path + suffix))
  }

  // MARK: Metadata

  /// Sets `Z_PLIST` to any bytes.
  func propertyList(_ data: Data) throws { try sql("UPDATE Z_METADATA SET Z_PLIST = \(StoreDamager.literal(data))") }

  /// Changes entries of `Z_PLIST`.
  func metadata(_ change: (inout [String: Any]) -> Void) throws {
    let connection = try Connection(path: url.path, mode: .readWrite)
    let row = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
    _ = try row.step()
    let data = row.blob(0) ?? Data()
    row.reset()
    connection.close()
    var entries = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any] ?? [:]
    change(&entries)
    try propertyList(PropertyListSerialization.data(fromPropertyList: entries, format: .binary, options: 0))
  }

  // MARK: The model

  /// Sets `Z_CONTENT` to any bytes.
  func modelCache(_ data: Data) throws { try sql("UPDATE Z_MODELCACHE SET Z_CONTENT = \(StoreDamager.literal(data))") }

  /// Puts another model into the store.
  func model(_ change: (inout ModelDescription) -> Void) throws {
    var model = SampleModel.library
    change(&model)
    try modelCache(ModelArchive.encodeModelCache(model))
  }

  /// Changes the texts of the model's archive, names of a length by others of the same length.
  func modelText(_ old: String, _ new: String) throws {
    precondition(old.utf8.count == new.utf8.count, "The archive's offsets would move.")
    var archive = try ModelArchive.encode(SampleModel.library)
    while let range = archive.range(of: Data(old.utf8)) { archive.replaceSubrange(range, with: Data(new.utf8)) }
    try modelCache(RawDeflate.deflate(archive))
  }

  static func literal(_ data: Data) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * data.count)
    for byte in data {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return "x'" + String(decoding: text, as: UTF8.self) + "'"
  }
}
