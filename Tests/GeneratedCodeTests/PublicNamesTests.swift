import Foundation
import TestSupport
import Testing

/// The list of Apple's public names beside an inventory that others made of them.
@Suite("The list of public names")
struct PublicNamesTests {
  private static let inventory = Fixtures.shared.appendingPathComponent("design/swiftdata-api.md")
  private static let isThere = FileManager.default.fileExists(atPath: inventory.path)

  /// Words of the inventory's declarations that name no symbol of SwiftData, by what they are. Words of one letter are left out.
  private static let others = [
    "keywords": """
    actor any as associatedtype by case class consuming convenience default enum false final for from func get into let nil nonisolated of
    protocol self set some static struct throws to true unchecked var where
    """,
    "names with a first underscore, which symbol graphs leave out": """
    _ _DefaultBackingData _Error _KKMDBackingData _PersistedProperty _TransformablePersistedProperty _disfavoredOverload _error
    _explanation _query
    """,
    "types of other modules": """
    Actor Any AnyKeyPath AnyObject Bool Codable Comparable CustomDebugStringConvertible CustomStringConvertible Decodable Equatable Error
    Executor ExecutorJob Hashable Identifiable Int Int64 KeyPath MainActor Name Notification Observable Optional PartialKeyPath
    RandomAccessCollection Self Sendable SendableMetatype Sequence SerialExecutor Set String Type URL UUID Void
    """,
    "parameters": """
    Element OtherModel SectionTitle Tx Value Wrapped allowEscapingMutations backingData batchSize block didMigrate forKey fromVersion
    inverse primaryKey sectionTitle toVersion types versionedSchema willMigrate
    """,
    "names of betas, of other frameworks, of files, keys and examples": """
    ACHANGE ATRANSACTION ATRANSACTIONSTRING Application Delete Item KnownKeysDictionary ResultsSectionCollection Support SwiftData Update
    Z_METADATA Z_PK Z_UUID coredata dev encrypt isTemporary null sectionNames store
    """,
  ]

  /// The words of declarations: of the first column of tables, and of text that stands in no table. Section 1, the macros, has both in its
  /// text, so that only its table counts; sections after 12 are about other modules.
  private static func words(_ inventory: String) -> Set<String> {
    var (section, words) = (0, Set<String>())
    for line in inventory.split(separator: "\n") {
      if let heading = line.wholeMatch(of: /## (\d+)\. .*/) { section = Int(heading.1) ?? 0 }
      let isRow = line.hasPrefix("|")
      guard (1...12).contains(section), isRow || section > 1 else { continue }
      let text = isRow ? line.split(separator: "|", omittingEmptySubsequences: false)[1] : line
      for code in text.matches(of: /`([^`]+)`/) {
        words.formUnion(code.1.matches(of: /[A-Za-z_$][A-Za-z_$0-9]*/).map { String($0.0) })
      }
    }
    return words.filter { $0.count > 1 || $0 == "_" }
  }

  @Test("Each symbol of the inventory is in the list", .enabled(if: isThere, "needs ../shared/design/swiftdata-api.md"))
  func nothingIsForgotten() throws {
    let words = Self.words(try String(contentsOf: Self.inventory, encoding: .utf8))
    #expect(words.count > 300)
    let listed = Set(
      PublicSurface.entries(PublicNames.list).flatMap { $0.type.split(separator: ".").map(String.init) + [$0.member] })
    let others = Set(Self.others.values.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) })
    #expect(words.subtracting(listed).subtracting(others).sorted() == [])
    // An exception that is none any more has to go.
    #expect(others.subtracting(words).union(others.intersection(listed)).sorted() == [])
  }
}
