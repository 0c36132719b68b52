import Foundation
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

extension BatchWorld {
  /// Every row of every table, without the names of files and the times of saves.
  func rows() throws -> [String] {
    let names = try PlainSQL.rows(store.url, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    var lines: [String] = []
    for case .text(let table) in names.compactMap(\.first) where !table.hasPrefix("sqlite_") && table != "Z_METADATA" {
      if ["ATRANSACTIONSTRING", "Z_MODELCACHE"].contains(table) { continue }
      let columns = try PlainSQL.rows(store.url, "SELECT name FROM pragma_table_info('\(table)') ORDER BY cid")
        .compactMap { row in if case .text(let name)? = row.first { name } else { nil } }
        .filter { !["ZSAVED", "ZTIMESTAMP"].contains($0) && !(table == "ACHANGE" && $0 == "Z_PK") }
        .map { $0 == "ZPICTURE" ? "length(ZPICTURE)" : "\"\($0)\"" }
      lines += try PlainSQL.rows(store.url, "SELECT \(columns.joined(separator: ", ")) FROM \"\(table)\"").map {
        "\(table): \($0)"
      }
    }
    let folder = store.folder.appendingPathComponent(".default_SUPPORT/_EXTERNAL_DATA")
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return lines.sorted() + ["\(files.count) files"]
  }

  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try Oracle.expectSound(store.url, fresh: true, sourceLocation: sourceLocation)
  }
}
