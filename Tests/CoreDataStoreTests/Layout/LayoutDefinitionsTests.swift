import Foundation
import TestSupport
import Testing

@testable import CoreDataStore

/// Each real store's catalogue beside that of a new store of ours with the same model, text by text and in order of creation.
@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
struct LayoutDefinitionsTests {
  @Test(
    "CD-1.1 CD-2 CD-3 CD-4 CD-7 CD-8 CD-9: a new store has the real one's definitions, but for what the table tells",
    arguments: RealStore.all)
  func definitions(_ row: RealStore) throws {
    let copy = try Fixtures.copyOfStore(row.name)
    let store = try row.open(copy, isReadOnly: true)
    let comparison = try LayoutComparison(
      model: store.layout.model, theirs: store.read { try Catalogue($0) }, framework: row.framework)
    let heading = row.name + (comparison.isMigrated ? ", migrated" : "")
    #expect(Self.table[row.name] == [heading] + comparison.lines)
    #expect(comparison.differences[.unexplained] == nil)
    if ProcessInfo.processInfo.environment["OPENSWIFTDATA_PRINT_TABLE"] != nil {
      print("TABLE " + ([heading] + comparison.lines.map { "  " + $0 }).joined(separator: "\nTABLE "))
    }
  }

  @Test("the table has a block for every fixture store, and no other")
  func tableIsComplete() {
    #expect(Self.table.keys.sorted() == RealStore.all.map(\.name).sorted())
  }

  /// The table's blocks by the name of the store; each line without its indentation of two.
  private static let table: [String: [String]] = {
    var blocks: [String: [String]] = [:]
    var name = ""
    for line in LayoutDifference.table.split(separator: "\n") {
      if !line.hasPrefix(" ") { name = String(line.split(separator: ", ")[0]) }
      blocks[name, default: []].append(String(line.hasPrefix("  ") ? line.dropFirst(2) : line))
    }
    return blocks
  }()
}
