import CoreDataStore
import Foundation
import SQLite

extension StoreChecker {
  /// CD-1.5: SQLite's own integrity check of the file.
  mutating func checkIntegrity() throws {
    for (name, problem) in store.treeDamage.sorted(by: { $0.key < $1.key }) {
      expect(.integrity, false, name, problem)
    }
    // SQLite's check recurses once for each level, so a damaged tree could overflow the stack.
    guard store.treeDamage.isEmpty else { return }
    let statement = try store.connection.prepare("PRAGMA integrity_check(20)")
    while try statement.step() {
      let text = statement.text(0) ?? ""
      expect(
        .integrity, text == "ok", "file", text,
        repair: text.contains("missing from index") || text.contains("wrong # of entries")
          ? "Make the index anew with REINDEX." : nil)
    }
  }

  /// CD-1.5: the file's settings. Some hold for every store, the others for every store since 2013.
  mutating func checkHeader() throws {
    guard let header = store.header, header.count >= 48 else { return }
    func pragma(_ name: String) throws -> String { try store.connection.pragma(name) ?? "" }
    func byte(_ offset: Int) -> Int { Int(header[header.startIndex + offset]) }
    let format = (44..<48).reduce(0) { $0 << 8 | byte($1) }
    let claimsVacuum = store.metadata.entries[StoreMetadata.Key.autoVacuumLevel] != nil
    let settings: [(name: String, found: String, wanted: String, isTolerable: Bool)] = [
      ("auto_vacuum", try pragma("auto_vacuum"), "2", !claimsVacuum),
      ("page_size", try pragma("page_size"), "4096", true),
      ("journal version (2/2 is a write-ahead log)", "\(byte(18))/\(byte(19))", "2/2", true),
      ("reserved bytes of a page", "\(byte(20))", "0", false),
      ("user_version", try pragma("user_version"), "0", true),
      ("application_id", try pragma("application_id"), "0", true),
      ("encoding", try pragma("encoding"), "UTF-8", false),
      ("schema format", "\(format)", "4", true),
    ]
    for setting in settings {
      prefer(
        .header, setting.found == setting.wanted, isTolerable: setting.isTolerable, setting.name,
        "is \(setting.found) instead of \(setting.wanted)")
    }
  }
}
