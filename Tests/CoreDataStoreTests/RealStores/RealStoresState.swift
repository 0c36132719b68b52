import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import Testing

@testable import CoreDataStore

/// What a save has no business to change.
struct RealStoresState {
  private let definitions: [[StoreValue]]
  private let pragmas: [[StoreValue]]
  private let metadata: [[StoreValue]]
  private let cache: [[StoreValue]]
  private let numbers: [[StoreValue]]
  private let maxima: [Int64: Int64]
  /// Rows of tables that no entity and nothing of the store's own stands behind.
  private let foreign: [String: [[StoreValue]]]
  private let changes: Int?

  init(_ url: URL) throws {
    func sql(_ text: String) throws -> [[StoreValue]] { try PlainSQL.rows(url, text) }
    definitions = try sql("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")
    pragmas = try ["page_size", "auto_vacuum", "encoding", "user_version", "application_id", "schema_version"]
      .flatMap { try sql("PRAGMA \($0)") }
    metadata = try sql("SELECT * FROM Z_METADATA")
    let tables = definitions.filter { $0[0] == .text("table") }.compactMap { $0[1].text }
    cache = tables.contains("Z_MODELCACHE") ? try sql("SELECT * FROM Z_MODELCACHE") : []
    numbers = try sql("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY 1")
    maxima = Dictionary(
      uniqueKeysWithValues: try sql("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY").compactMap { row in
        if case (.integer(let entity), .integer(let maximum)) = (row[0], row[1]) { (entity, maximum) } else { nil }
      })
    let rooted = Set(try sql("SELECT 'Z' || upper(Z_NAME) FROM Z_PRIMARYKEY").compactMap { $0[0].text })
    foreign = Dictionary(
      uniqueKeysWithValues: try tables.filter { name in
        !rooted.contains(name) && !name.hasPrefix("Z_") && !name.hasPrefix("ATRANSACTION") && name != "ACHANGE"
      }.map { ($0, try sql("SELECT * FROM \"\($0)\"")) })
    changes = tables.contains("ACHANGE") ? try sql("SELECT count(*) FROM ACHANGE")[0][0].integer.map(Int.init) : nil
  }

  /// Definitions of every kind, and the rows of tables that are not the store's own.
  func expectForeignUnchanged(in url: URL) throws {
    let now = try RealStoresState(url)
    #expect(now.definitions == definitions && now.foreign == foreign)
    #expect(foreign.keys.contains("APPLICATION") && foreign["own notes"]?.count == 2)
  }

  func expectUnchanged(in url: URL, _ counts: RealStoresCounts) throws {
    let now = try RealStoresState(url)
    #expect(now.definitions == definitions && now.pragmas == pragmas)
    #expect(now.metadata == metadata && now.cache == cache && now.numbers == numbers)
    #expect(now.foreign == foreign)
    for (entity, maximum) in maxima { #expect(now.maxima[entity] ?? 0 >= maximum, "CD-6: Z_MAX never goes down") }
    if let changes {
      #expect(now.changes == changes + counts.inserted + counts.updated + counts.deleted, "CD-7")
    } else {
      #expect(now.changes == nil)
    }
    #expect(try PlainSQL.rows(url, "PRAGMA integrity_check") == [[.text("ok")]])
    #expect(try PlainSQL.rows(url, "PRAGMA journal_mode") == [[.text("wal")]])
  }

  /// Attributes that triggers keep, or that the store computes: what was written is not what is read.
  func writtenByTriggers(_ layout: StoreLayout) -> Set<ColumnSelection> {
    let pattern = /UPDATE\s+"?(\w+)"?\s+SET\s+"?(\w+)"?\s*=/.ignoresCase()
    var columns: Set<[String]> = []
    for row in definitions where row[0] == .text("trigger") {
      for match in (row[3].text ?? "").matches(of: pattern) { columns.insert([String(match.1), String(match.2)]) }
    }
    var result: Set<ColumnSelection> = []
    for entity in layout.entities {
      for case .attribute(let attribute) in entity.properties
      where attribute.description.derivation != nil
        || attribute.columns.contains(where: { columns.contains([entity.table.name, $0.name.name]) })
      {
        result.insert(ColumnSelection(entityName: entity.name, propertyName: attribute.description.name))
      }
    }
    return result
  }
}

extension StoreValue {
  fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
  fileprivate var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
}
