import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// One attribute of one object changes in a copy of each real store: of the whole database only the rows that have to change do.
@Suite(.enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
struct RealStoresOneChangeTests {
  @Test(
    "CD-1, CD-6, CD-7: a save changes its rows, the counters and the history, and nothing else",
    arguments: RealStore.written)
  func oneChange(_ real: RealStore) throws {
    let copy = try Fixtures.copyOfStore(real.name)
    let before = try WholeDatabase(copy.url)
    let store = try real.open(copy)
    guard let change = try Self.change(store) else {
      store.close()
      // A store without a row whose attribute could change stays as it is.
      #expect(try WholeDatabase(copy.url) == before && real.rows == 0)
      return
    }
    var changes = ChangeSet()
    changes.updates = [change.update]
    let transaction = try store.save(changes).transaction
    store.close()

    let after = try WholeDatabase(copy.url)
    #expect(after.definitions == before.definitions && after.pragmas == before.pragmas)
    #expect(after.header == before.header)
    var changed = after.tables.keys.filter { after.tables[$0] != before.tables[$0] }.sorted()
    #expect(before.tables.keys == after.tables.keys)
    #expect(changed.contains(change.table))
    changed.removeAll { $0 == change.table }

    // The row has a version more and the one new value.
    let old = try #require(before.tables[change.table])
    let new = try #require(after.tables[change.table])
    #expect(old.count == new.count)
    let differing = zip(old, new).filter { $0 != $1 }
    #expect(differing.count == 1)
    let (was, now) = try #require(differing.first.map { (WholeDatabase.values($0), WholeDatabase.values($1)) })
    let columns = zip(was, now).filter { $0 != $1 }
    #expect(columns.count == 2 && was[0] == "\(change.update.object.key)")
    #expect(Int64(was[2]).map { "\($0 + 1)" } == now[2])

    // History has a transaction more with one change, whose texts may be new.
    guard let transaction else { return #expect(changed == []) }
    let history = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING", "Z_PRIMARYKEY"]
    #expect(Set(changed).isSubset(of: history))
    for table in history.dropLast() {
      guard let old = before.tables[table], let new = after.tables[table] else { continue }
      #expect(Array(new.prefix(old.count)) == old, "\(table)")
      let count = new.count - old.count
      #expect(table == "ATRANSACTIONSTRING" ? (0...2).contains(count) : count == 1, "\(table)")
    }
    #expect((after.tables["ATRANSACTION"]?.last).map(WholeDatabase.values)?.first == "\(transaction)")
    let counters = zip(before.tables["Z_PRIMARYKEY"] ?? [], after.tables["Z_PRIMARYKEY"] ?? []).filter { $0 != $1 }
      .map { (WholeDatabase.values($0), WholeDatabase.values($1)) }
    #expect(counters.allSatisfy { (Int($0[0]) ?? 0) > 16000 && $0[0...2] == $1[0...2] })
  }

  /// Another value for a number or a text of the first row that has one and that no trigger or derivation looks at.
  private static func change(_ store: PersistentStore) throws -> (update: ChangeSet.Update, table: String)? {
    let triggers = try store.read { connection in
      var texts = ""
      let statement = try connection.statement("SELECT sql FROM sqlite_master WHERE type = 'trigger'")
      defer { statement.reset() }
      while try statement.step() { texts += statement.text(0) ?? "" }
      return texts
    }
    for entity in store.layout.entities where !entity.isAbstract {
      if entity.properties.contains(where: { property in
        if case .attribute(let attribute) = property { attribute.description.derivation != nil } else { false }
      }) {
        continue
      }
      for case .attribute(let attribute) in entity.properties {
        let value: StoreValue
        switch attribute.description.type {
        case .integer64, .integer32: value = .integer(1_234_567)
        case .integer16: value = .integer(1234)
        case .double, .float, .date: value = .real(1234.5)
        case .string: value = .text("another text")
        default: continue
        }
        guard let column = attribute.column?.name, !triggers.contains(column.name) else { continue }
        let row = try store.read { connection -> (key: Int64, version: Int64)? in
          let statement = try connection.statement(
            "SELECT Z_PK, Z_OPT FROM \(entity.table) WHERE Z_ENT = \(entity.number) ORDER BY Z_PK LIMIT 1")
          defer { statement.reset() }
          return try statement.step() ? (statement.integer(0), statement.integer(1)) : nil
        }
        guard let row else { break }
        let name = attribute.description.name
        return (
          ChangeSet.Update(
            object: ObjectKey(entity: Int32(entity.number), key: row.key), version: row.version,
            columns: [ColumnSelection(entityName: entity.name, propertyName: name)], changedProperties: [name],
            source: StoreValuesRow(values: [name: value])), entity.table.name
        )
      }
    }
    return nil
  }
}

/// Everything that SQL shows of a database, and what its header says beside the counters of changes.
private struct WholeDatabase: Equatable {
  let definitions: [[StoreValue]]
  let pragmas: [[StoreValue]]
  /// Rows in the order of their numbers; each is the text of its values as SQL writes them.
  let tables: [String: [String]]
  let header: [Data]

  private static let separator = "\u{1F}"

  /// The values of a row.
  static func values(_ row: String) -> [String] { row.components(separatedBy: separator) }

  init(_ url: URL) throws {
    definitions = try PlainSQL.rows(url, "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")
    pragmas = try ["page_size", "auto_vacuum", "encoding", "user_version", "application_id", "schema_version"]
      .flatMap { try PlainSQL.rows(url, "PRAGMA \($0)") }
    var tables: [String: [String]] = [:]
    for case .text(let name) in definitions.filter({ $0[0] == .text("table") }).map({ $0[1] }) {
      let columns = try PlainSQL.rows(url, "SELECT name FROM pragma_table_info('\(name)')")
        .compactMap { if case .text(let column) = $0[0] { "quote(\"\(column)\")" } else { nil } }
      guard !columns.isEmpty else { continue }
      // SQL joins the values, a hundred at a time: an expression may not be deeper than a thousand.
      let parts = stride(from: 0, to: columns.count, by: 100).map {
        columns[$0..<min($0 + 100, columns.count)].joined(separator: " || char(31) || ")
      }
      tables[name] = try PlainSQL.rows(url, "SELECT \(parts.joined(separator: ", ")) FROM \"\(name)\"")
        .map { row in
          row.map { if case .text(let text) = $0 { text } else { "" } }.joined(separator: Self.separator)
        }
    }
    self.tables = tables
    let bytes = try Data(contentsOf: url).prefix(100)
    // Without the form of the log, to which stores of before 2013 change, and without the counters of changes and pages.
    header = [bytes[..<18], bytes[20..<24], bytes[44..<92]].map { Data($0) }
  }
}
