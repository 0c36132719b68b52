import Foundation
import SwiftData
import Testing

@Model final class StoredCrate {
  var label: String
  /// Has no inverse.
  var tools: [StoredTool] = []
  init(label: String) { self.label = label }
}

@Model class StoredTool {
  var name: String
  init(name: String) { self.name = name }
}

@Model final class StoredSaw: StoredTool {}

/// The lists of a custom store's snapshots after deletions of their members.
@Suite("Lists of a custom store after deletions", .temporaryFolder)
struct CustomStoreListTests {
  private let configuration = JSONFileConfiguration(url: TemporaryFolder.url.appendingPathComponent("lists.json"))

  private func context() throws -> ModelContext {
    let types = CustomStoreKind.types + [StoredCrate.self, StoredTool.self, StoredSaw.self]
    return try ModelContext(ModelContainer(for: Schema(types), configurations: [configuration]))
  }

  /// The numbers of members that the stored lists of a property name.
  private func counts(_ property: String) throws -> [Int] {
    let content = try JSONSerialization.jsonObject(with: Data(contentsOf: configuration.url))
    return try #require(content as? [[String: Any]]).compactMap { ($0[property] as? [Any])?.count }
  }

  @Test("An owner of whom only the store knows no longer names the deleted member", arguments: [false, true])
  func otherOwner(isMovedBefore: Bool) throws {
    let here = try context()
    let trips = ["Alps", "Coast"].map { StoredTrip(name: $0) }
    let (stop, ada) = (StoredStop(title: "pass"), StoredTraveller(name: "Ada"))
    trips.forEach(here.insert)
    here.insert(stop)
    here.insert(ada)
    try here.save()
    let there = try context()
    func move() throws {
      stop.trip = trips[1]
      ada.trips = trips
      try here.save()
    }
    let (theirs, theirAda) = try (
      #require(try there.fetch(FetchDescriptor<StoredStop>()).first),
      #require(try there.fetch(FetchDescriptor<StoredTraveller>()).first)
    )
    #expect(theirs.trip == nil && theirAda.trips.isEmpty)
    if isMovedBefore { try move() }
    there.delete(theirs)
    there.delete(theirAda)
    if !isMovedBefore { try move() }
    try there.save()
    #expect(try counts("stops") == [0, 0] && counts("travellers") == [0, 0])
    #expect(try here.fetch(FetchDescriptor<StoredTrip>()).allSatisfy { $0.stops.isEmpty && $0.travellers.isEmpty })
  }

  /// What the deleting context knows of the owner.
  enum Owner: CaseIterable {
    case unknown, loaded, changed
  }

  @Test("A list without an inverse no longer names deleted members, also of a subclass", arguments: Owner.allCases)
  func withoutInverse(_ owner: Owner) throws {
    let here = try context()
    let crates = ["a", "b"].map { StoredCrate(label: $0) }
    crates.forEach(here.insert)
    crates[0].tools = [StoredTool(name: "plane"), StoredSaw(name: "saw")]
    crates[1].tools = [StoredTool(name: "file")]
    try here.save()
    let there = try context()
    if owner != .unknown {
      for crate in try there.fetch(FetchDescriptor<StoredCrate>()) {
        #expect(!crate.tools.isEmpty)
        if owner == .changed { crate.label += "!" }
      }
    }
    for saw in try there.fetch(FetchDescriptor<StoredSaw>()) { there.delete(saw) }
    try there.save()
    #expect(try counts("tools") == [1, 1])
    let labels = FetchDescriptor<StoredCrate>(sortBy: [SortDescriptor(\.label)])
    for context in [here, there, try self.context()] {
      let crates = try context.fetch(labels)
      #expect(crates.map { $0.tools.map(\.name) } == [["plane"], ["file"]])
      #expect(crates.map(\.label) == (owner == .changed ? ["a!", "b!"] : ["a", "b"]))
    }
  }
}
