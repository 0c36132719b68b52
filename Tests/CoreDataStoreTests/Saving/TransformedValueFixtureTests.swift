import Foundation
import PropertyLists
import SQLite
import TestSupport
import Testing

/// Transformable columns of real stores.
@Suite("Transformed values of real stores", .enabled(if: Fixtures.areAvailable, "needs ../shared/fixtures"))
struct TransformedValueFixtureTests {
  static let columns: [(store: String, table: String, column: String, classes: Set<String>)] = [
    ("openhouse__osxphotos__Test-10.15.7_Photos.sqlite", "ZMOMENT", "ZLOCALIZEDLOCATIONNAMES", ["NSArray"]),
    ("openhouse__osxphotos__Test-14.0.0_Photos.sqlite", "ZMOMENT", "ZLOCALIZEDLOCATIONNAMES", ["NSArray"]),
    ("openhouse__osxphotos__Test-10.15.7_Photos.sqlite", "ZPERSON", "ZCONTACTMATCHINGDICTIONARY", ["NSDictionary"]),
    ("openhouse__osxphotos__Test-14.0.0_Photos.sqlite", "ZMIGRATIONHISTORY", "ZGLOBALKEYVALUES", ["NSDictionary"]),
    ("openhouse__osxphotos__Test-14.0.0_Photos.sqlite", "ZSUGGESTION", "ZFEATURESDATA", ["NSMutableDictionary"]),
    ("openhouse__osxphotos__Test-16.0.0-beta_Photos.sqlite", "ZGLOBALKEYVALUE", "ZANYVALUE", ["NSDictionary"]),
    ("log2timeline__plaso__netusage.sqlite", "ZPROVISIONINGDATA", "ZMAP", ["NSData", "NSMutableData"]),
  ]

  @Test("CD-5 property-list values are read and written back as they were", arguments: columns.indices)
  func rewriting(index: Int) throws {
    let sample = Self.columns[index]
    let archives = try Self.archives(sample.store, sample.table, sample.column)
    #expect(!archives.isEmpty)
    for archive in archives {
      let value = try ArchivedValue(archive: archive)
      #expect(sample.classes.contains(value.className))
      let rewritten = try value.archived(rootKey: Self.rootKey(of: archive))
      if value.className == "NSMutableData" {
        // This archiver (iOS 14) spelled the class's name twice; what the archive says is the same.
        #expect(try Self.logical(rewritten) == Self.logical(archive))
      } else {
        #expect(rewritten == archive)
      }
    }
  }

  @Test("Objects of a program's own classes are refused by their name")
  func unknownClasses() throws {
    let columns = [
      ("alemar11__CoreDataPlus__SampleModel2_V1.sqlite", "ZBOOK", "ZCOVER", "CoreDataPlus_Tests.Cover"),
      ("thierryH91200__Pegase__MyDB.sqlite", "ZENTITYRUBRIC", "ZCOLOR", "NSColor"),
      (
        "openhouse__osxphotos__Test-14.0.0_Photos.sqlite", "ZADDITIONALASSETATTRIBUTES", "ZOBJECTSALIENCYRECTSDATA",
        "NSValue"
      ),
    ]
    for (store, table, column, className) in columns {
      let archives = try Self.archives(store, table, column)
      #expect(!archives.isEmpty)
      for archive in archives {
        #expect(throws: ArchivedValueError.unknownClass(className)) { try ArchivedValue(archive: archive) }
      }
    }
  }

  private static func archives(_ store: String, _ table: String, _ column: String) throws -> [Data] {
    let copy = try Fixtures.copyOfStore(store)
    let connection = try Connection(path: copy.url.path, mode: .readWrite)
    let statement = try connection.prepare("SELECT \(column) FROM \(table) WHERE \(column) IS NOT NULL")
    var archives: [Data] = []
    while try statement.step() {
      if let data = statement.blob(0), data.starts(with: Data("bplist00".utf8)) { archives.append(data) }
    }
    return archives
  }

  private static func plist(_ archive: Data) throws -> [String: Any] {
    try PropertyListSerialization.propertyList(from: archive, format: nil) as? [String: Any] ?? [:]
  }

  private static func rootKey(of archive: Data) throws -> String {
    (try plist(archive)["$top"] as? [String: Any])?.keys.first ?? "root"
  }

  /// What a property list says, whatever its objects share.
  private static func logical(_ archive: Data) throws -> String {
    let list = try BinaryPropertyList(archive)
    func text(_ position: Int) -> String {
      switch list.objects[position] {
      case .array(let items): "[\(items.map { text($0) }.joined(separator: ", "))]"
      case .dictionary(let keys, let values):
        "{\(zip(keys, values).map { "\(text($0)): \(text($1))" }.joined(separator: ", "))}"
      case let object: "\(object)"
      }
    }
    return text(list.top)
  }
}

extension ArchivedValue {
  var className: String {
    switch self {
    case .list(_, let kind): kind.rawValue
    case .dictionary(_, let isMutable): isMutable ? "NSMutableDictionary" : "NSDictionary"
    case .data(_, let isMutable): isMutable ? "NSMutableData" : "NSData"
    default: "\(self)"
    }
  }
}
