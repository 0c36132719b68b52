import Foundation
import SQLite
import TestSupport
import Testing

@testable import SwiftData

/// The log of stored values that do not fit their properties' types.
@Suite(.damagesStores("values of other types"))
struct MisfitLogTests {
  enum Colour: String, Codable { case red, green }

  struct Size: Codable, Equatable {
    var width: Int
    var tags: [String]
  }

  @Model class Item {
    var number: Int
    var colour: Colour?
    var fallback: Colour = MisfitLogTests.Colour.red
    var link: URL?
    var price: Decimal?
    var code: UUID?
    var small: Int8 = 0
    var byte: UInt8?
    var ratio: Float?
    var count: Int?
    var date: Date?
    var size: Size?
    var words: [String]?
    @Attribute(.codable) var coded: Size?
    @Attribute(.transformable(by: "MisfitLogTests.nobody")) var secret: [Int]?
    var title: String = ""
    init(_ number: Int) { self.number = number }
  }

  @Model final class Special: Item {
    var shade: Colour?
    override init(_ number: Int) { super.init(number) }
  }

  /// A column, an SQL value that does not fit, and the rest of the line that tells it.
  private static let misfits: [(column: String, value: String, problem: String)] = [
    ("colour", "'purple'", "the stored value is no Colour"),
    ("fallback", "'purple'", "the stored value is no Colour"),
    ("link", "'ht tp:'", "the stored value is no URL"),
    ("price", "'much'", "the stored value is no Decimal"),
    ("code", "x'01'", "the stored value is no UUID"),
    ("small", "300", "the stored number is beyond the bounds of Int8, and reads as the nearest one"),
    ("byte", "-1", "the stored number is beyond the bounds of UInt8, and reads as the nearest one"),
    ("ratio", "1e300", "the stored number is beyond the bounds of Float, and reads as the nearest one"),
    ("count", "'many'", "the stored value is no Int"),
    ("date", "'today'", "the stored value is no Date"),
    ("words", "x'00'", "the stored value cannot be read as Array<String>: "),
    ("coded", "x'00'", "the stored value cannot be read as Size: "),
    ("secret", "x'00'", "the stored value cannot be read as Array<Int>: no value transformer"),
  ]

  private func container(_ store: TemporaryStore) throws -> ModelContainer {
    try ModelContainer(for: Item.self, Special.self, configurations: ModelConfiguration(url: store.url))
  }

  private func execute(_ sql: String, in store: TemporaryStore) throws {
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    try connection.execute(sql)
    connection.close()
  }

  /// A store of five items, of which the second and the third have misfits.
  private func damaged() throws -> (store: TemporaryStore, container: ModelContainer) {
    let store = try TemporaryStore()
    let container = try container(store)
    let context = ModelContext(container)
    for number in 0..<4 { context.insert(Item(number)) }
    context.insert(Special(4))
    try context.save()
    let sets = Self.misfits.map { "Z\($0.column.uppercased()) = \($0.value)" }.joined(separator: ", ")
    try execute("UPDATE ZITEM SET \(sets) WHERE ZNUMBER IN (1, 2)", in: store)
    return (store, container)
  }

  private func sorted(_ context: ModelContext) throws -> [Item] {
    try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.number)]))
  }

  @Test func `The first value of each property that does not fit is logged, with property, row and store`() throws {
    let (store, container) = try damaged()
    let context = ModelContext(container)
    var items: [Item] = []
    let lines = try RecordedLog.lines { items = try sorted(context) }
    let row = items[1].persistentModelID
    for misfit in Self.misfits {
      let start = "error: Item.\(misfit.column) of \(row) in the store at \(store.url.path): \(misfit.problem)"
      #expect(lines.filter { $0.hasPrefix(start) }.count == 1, "\(misfit.column): \(lines)")
    }
    #expect(lines.count == Self.misfits.count, "\(lines)")
    for item in items[1...2] {
      #expect(item.colour == nil && item.fallback == .red && item.link == nil && item.price == nil && item.code == nil)
      #expect(item.small == .max && item.byte == 0 && item.ratio == .infinity && item.count == nil && item.date == nil)
      #expect(item.words == nil && item.coded == nil && item.secret == nil)
    }
    let again = try RecordedLog.lines { _ = try sorted(ModelContext(try self.container(store))) }
    #expect(again.isEmpty, "\(again)")
  }

  @Test func `The same values in another store are logged too`() throws {
    for _ in 0..<2 {
      let (store, container) = try damaged()
      let lines = try RecordedLog.lines { _ = try sorted(ModelContext(container)) }
      #expect(lines.filter { $0.contains(store.url.path) }.count == Self.misfits.count, "\(lines)")
    }
  }

  @Test func `A fetch of some properties, a fault and a row of a subclass name the right property and row`() throws {
    let (store, container) = try damaged()
    let context = ModelContext(container)
    var some = FetchDescriptor<Item>(sortBy: [SortDescriptor(\.number)])
    some.propertiesToFetch = [\.title, \.link, \.number]
    var items: [Item] = []
    let partial = try RecordedLog.lines { items = try context.fetch(some) }
    let row = items[1].persistentModelID
    #expect(partial.count == 1 && partial[0].hasPrefix("error: Item.link of \(row) in"), "\(partial)")
    let fault = RecordedLog.lines { #expect(items[1].colour == nil) }
    #expect(fault.count == Self.misfits.count - 1, "\(fault)")
    #expect(fault.allSatisfy { $0.contains(" of \(row) in") }, "\(fault)")
    try execute("UPDATE ZITEM SET ZSHADE = 'pale', ZCOLOUR = 'pale' WHERE ZNUMBER = 4", in: store)
    let fresh = ModelContext(container)
    var specials: [Special] = []
    let lines = try RecordedLog.lines { specials = try fresh.fetch(FetchDescriptor<Special>()) }
    let special = try #require(specials.first).persistentModelID
    for name in ["colour", "shade"] {
      #expect(lines.contains { $0.hasPrefix("error: Special.\(name) of \(special) in") }, "\(lines)")
    }
    #expect(lines.count == 2, "\(lines)")
  }

  @Test func `A member of a structure is named; a NULL of a property that has none is told when it is read`() throws {
    let store = try TemporaryStore()
    let container = try container(store)
    let context = ModelContext(container)
    let item = Item(1)
    item.size = Size(width: 2, tags: ["a"])
    context.insert(item)
    try context.save()
    try execute("UPDATE ZITEM SET ZWIDTH = 'wide', ZTITLE = NULL", in: store)
    let fresh = ModelContext(container)
    var items: [Item] = []
    let read = try RecordedLog.lines { items = try fresh.fetch(FetchDescriptor<Item>()) }
    #expect(items.first?.size == Size(width: 0, tags: ["a"]))
    let row = try #require(items.first).persistentModelID
    let start = "error: Item.size of \(row) in the store at \(store.url.path): "
    #expect(read.count == 1 && read[0].hasPrefix(start + "the stored value of its member “width” is no Int"), "\(read)")
    let used = RecordedLog.lines { for _ in 0..<2 { #expect(items.first?.title == "") } }
    #expect(used.count == 1 && used[0].hasPrefix("error: Item.title of \(row) in"), "\(used)")
  }

  @Test func `Values that fit, and nil, are read without a line`() throws {
    let store = try TemporaryStore()
    let container = try container(store)
    let context = ModelContext(container)
    context.insert(Item(1))
    let full = Special(2)
    (full.colour, full.link, full.price, full.code) = (.green, URL(string: "http://a"), 1.5, UUID())
    (full.small, full.byte, full.ratio, full.count, full.date) = (.min, .max, -.infinity, .min, .distantPast)
    (full.size, full.words, full.shade) = (Size(width: -1, tags: []), [], .red)
    full.coded = Size(width: 1, tags: ["x"])
    context.insert(full)
    try context.save()
    let lines = try RecordedLog.lines {
      let items = try sorted(ModelContext(container))
      #expect(items.count == 2 && items[0].colour == nil && items[1].colour == .green && items[0].title == "")
    }
    #expect(lines.isEmpty, "\(lines)")
  }
}
