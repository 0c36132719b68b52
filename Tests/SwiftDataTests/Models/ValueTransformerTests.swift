import CoreDataStore
import Foundation
import PropertyLists
import SQLite
import TestSupport
import Testing

@testable import SwiftData

/// A value that is not `Codable`.
struct TransformedPoint: Equatable {
  var x: Int
  var y: Int
}

final class TransformedPointTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? TransformedPoint).flatMap {
      try? ArchivedValue.list([.integer(.init($0.x)), .integer(.init($0.y))]).archived()
    }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data, case .list(let parts, _)? = try? ArchivedValue(archive: data), parts.count == 2,
      case .integer(let x) = parts[0], case .integer(let y) = parts[1]
    else { return nil }
    return TransformedPoint(x: Int(x), y: Int(y))
  }
}

@Model final class TransformedThing {
  @Attribute(.transformable(by: TransformedPointTransformer.self)) var point: TransformedPoint?
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var moments: [String: [String: Date]]?
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var identities: Set<UUID>?
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var places: [String: URL]?
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var layers: [[Data]]?
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var prices: [Int: Decimal]?
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var text: String?
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var number: Double?
  init() {}
}

@Suite struct ValueTransformerTests {
  private func context(_ store: TemporaryStore) throws -> ModelContext {
    ModelContext(try ModelContainer(for: TransformedThing.self, configurations: ModelConfiguration(url: store.url)))
  }

  private func bytes(_ store: TemporaryStore) throws -> [Data?] {
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    defer { connection.close() }
    let statement = try connection.prepare(
      "SELECT ZPOINT, ZMOMENTS, ZIDENTITIES, ZPLACES, ZLAYERS, ZPRICES, ZTEXT, ZNUMBER FROM ZTRANSFORMEDTHING")
    #expect(try statement.step())
    var row = RowReader(statement, startingAt: 0)
    return (0..<statement.columnCount).map { _ in row.blob() }
  }

  @Test func `CD-5 Archives keep property-list values of every depth, and a transformer keeps the program's own type`()
    throws
  {
    let store = try TemporaryStore()
    let writer = try context(store)
    let thing = TransformedThing()
    thing.point = TransformedPoint(x: 3, y: -4)
    thing.moments = ["a": ["b": Date(timeIntervalSinceReferenceDate: -1.5)], "empty": [:]]
    thing.identities = [UUID(), UUID(), UUID()]
    thing.places = ["home": URL(filePath: "/x y"), "": try #require(URL(string: "https://example.org/ü"))]
    thing.layers = [[Data(), Data([0])], []]
    thing.prices = [1: try #require(Decimal(string: "0.12345678901234567890123456789")), 2: .nan]
    (thing.text, thing.number) = ("a\0b", -0.0)
    writer.insert(thing)
    try writer.save()
    let before = try bytes(store)
    #expect(!before.contains(nil))

    let reader = try context(store)
    let read = try #require(try reader.fetch(FetchDescriptor<TransformedThing>()).first)
    #expect(read.point == thing.point && read.moments == thing.moments && read.identities == thing.identities)
    #expect(read.places == thing.places && read.layers == thing.layers)
    #expect(read.prices?[1] == thing.prices?[1] && read.prices?[2]?.isNaN == true)
    #expect(read.text == "a\0b" && read.number?.sign == .minus)
    // Equal values give equal bytes.
    (read.point, read.moments, read.identities) = (read.point, read.moments, read.identities)
    (read.places, read.layers, read.prices) = (read.places, read.layers, read.prices)
    (read.text, read.number) = (read.text, read.number)
    try reader.save()
    #expect(try bytes(store) == before)
    try Oracle.expectSound(store.url, fresh: true)
  }
}
