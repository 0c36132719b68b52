import Foundation
import SQLite
import TestSupport
import Testing

@testable import SwiftData

enum OpaqueKind: String, Codable { case a, b }

struct OpaquePlace: Codable, Hashable {
  var city: String
  var kind: OpaqueKind?
  var marks: [String: Int]
}

@Model final class OpaqueThing {
  var title: String
  var place: OpaquePlace?
  init(_ title: String) { self.title = title }
}

/// Members of structures that are stored as JSON (CD-5), where equal values may have different texts.
@Suite struct PredicateOpaqueTests {
  @Test func `CD-5 Members that are JSON, and structures with such members, are compared by value`() throws {
    let store = try TemporaryStore()
    let context = ModelContext(
      try ModelContainer(for: OpaqueThing.self, configurations: ModelConfiguration(url: store.url)))
    for (title, kind) in [("none", nil), ("a", OpaqueKind.a), ("b", .b)] {
      let thing = OpaqueThing(title)
      thing.place = OpaquePlace(city: "C", kind: kind, marks: ["x": 1, "y": 2])
      context.insert(thing)
    }
    context.insert(OpaqueThing("nil"))
    try context.save()
    // The JSON of another encoder.
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    try connection.execute("UPDATE ZOPAQUETHING SET ZMARKS = CAST('{ \"y\": 2, \"x\": 1 }' AS BLOB) WHERE ZTITLE = 'b'")
    connection.close()

    func titles(_ predicate: Predicate<OpaqueThing>) throws -> [String] {
      let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)]))
      let all = try context.fetch(FetchDescriptor<OpaqueThing>(sortBy: [SortDescriptor(\.title)]))
      #expect(try found.map(\.title) == all.filter { try predicate.evaluate($0) }.map(\.title))
      return found.map(\.title)
    }
    let kind = OpaqueKind.b
    let place = OpaquePlace(city: "C", kind: .b, marks: ["x": 1, "y": 2])
    #expect(try titles(#Predicate { $0.place?.kind == kind }) == ["b"])
    #expect(try titles(#Predicate { $0.place?.kind == nil }) == ["nil", "none"])
    #expect(try titles(#Predicate { $0.place == place }) == ["b"])
    #expect(try titles(#Predicate { $0.place != place }) == ["a", "nil", "none"])
    #expect(try titles(#Predicate { $0.place == nil }) == ["nil"])
    #expect(try titles(#Predicate { $0.place?.city == "C" }) == ["a", "b", "none"])
  }
}
