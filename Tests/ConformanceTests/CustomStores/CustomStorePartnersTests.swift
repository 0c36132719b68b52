import Foundation
import SwiftData
import TestSupport
import Testing

@Model final class StoredPilot {
  var name: String
  @Relationship(inverse: \StoredPlane.pilot) var plane: StoredPlane?
  var wing: StoredPilot?
  @Relationship(inverse: \StoredPilot.wing) var lead: StoredPilot?
  init(_ name: String) { self.name = name }
}

@Model final class StoredPlane {
  var name: String
  var pilot: StoredPilot?
  init(_ name: String) { self.name = name }
}

@Model final class StoredLicence {
  /// Every licence has a holder.
  var holder: StoredHolder
  init(_ holder: StoredHolder) { self.holder = holder }
}

@Model final class StoredHolder {
  var name: String
  @Relationship(inverse: \StoredLicence.holder) var licence: StoredLicence?
  init(_ name: String) { self.name = name }
}

@Suite("One-to-one relationships over a custom store after saves of several contexts", .temporaryFolder)
struct CustomStorePartnersTests {
  private static let types: [any PersistentModel.Type] = [
    StoredPilot.self, StoredPlane.self, StoredLicence.self, StoredHolder.self,
  ]

  private func container(_ file: String = "pilots.json") throws -> ModelContainer {
    let configuration = JSONFileConfiguration(url: TemporaryFolder.url.appendingPathComponent(file))
    return try ModelContainer(for: Schema(Self.types), configurations: [configuration])
  }

  private static func pilots(_ context: ModelContext) throws -> [StoredPilot] {
    try context.fetch(FetchDescriptor<StoredPilot>(sortBy: [SortDescriptor(\.name)]))
  }

  private static func planes(_ context: ModelContext) throws -> [StoredPlane] {
    try context.fetch(FetchDescriptor<StoredPlane>(sortBy: [SortDescriptor(\.name)]))
  }

  /// Every link, as text.
  private static func links(_ context: ModelContext) throws -> [String] {
    try pilots(context).flatMap { pilot in
      [
        pilot.plane.map { "pilot \(pilot.name) plane \($0.name)" },
        pilot.wing.map { "pilot \(pilot.name) wing \($0.name)" },
        pilot.lead.map { "pilot \(pilot.name) lead \($0.name)" },
      ].compactMap(\.self)
    } + planes(context).compactMap { plane in plane.pilot.map { "plane \(plane.name) pilot \($0.name)" } }
  }

  private func seed(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    for name in ["a", "b", "c"] { context.insert(StoredPilot(name)) }
    for name in ["1", "2"] { context.insert(StoredPlane(name)) }
    try context.save()
  }

  @Test("Of two contexts that take one partner, the later one gets it; both see so", arguments: [true, false])
  func contexts(isSameContainer: Bool) throws {
    let container = try container()
    try seed(container)
    let left = ModelContext(container)
    let right = ModelContext(isSameContainer ? container : try self.container())
    func take(_ pilot: Int, _ context: ModelContext) throws {
      let (pilots, planes) = try (Self.pilots(context), Self.planes(context))
      _ = (pilots.map { $0.plane?.name }, planes.map { $0.pilot?.name })
      pilots[pilot].plane = planes[0]
    }
    try take(0, left)
    try take(1, right)
    try left.save()
    try right.save()
    for context in [left, right, ModelContext(container)] {
      #expect(try Self.links(context) == ["pilot b plane 1", "plane 1 pilot b"])
    }
  }

  @Test("A relationship of a class with itself loses its former partners on both sides")
  func ownClass() throws {
    let container = try container()
    try seed(container)
    let (left, right) = (ModelContext(container), ModelContext(container))
    let (ours, theirs) = try (Self.pilots(left), Self.pilots(right))
    ours[0].wing = ours[1]
    theirs[2].wing = theirs[1]
    try left.save()
    try right.save()
    for context in [left, right, ModelContext(container)] {
      #expect(try Self.links(context) == ["pilot b lead c", "pilot c wing b"])
    }
  }

  @Test("An object that must have a partner keeps it: the save that would take it away throws, and writes nothing")
  func required() throws {
    let container = try container()
    let context = ModelContext(container)
    context.insert(StoredLicence(StoredHolder("a")))
    context.insert(StoredHolder("b"))
    try context.save()
    let other = ModelContext(try self.container())
    let holder = try #require(try other.fetch(FetchDescriptor<StoredHolder>()).first { $0.name == "b" })
    other.insert(StoredLicence(holder))
    try other.save()
    let taken = try #require(try context.fetch(FetchDescriptor<StoredHolder>()).first { $0.name == "b" })
    #expect(taken.licence != nil)
    context.insert(StoredLicence(taken))
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.explanation?.contains("holder") == true)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<StoredLicence>()) == 2)
  }

  @Test("After each save at random both keys agree, and the contexts agree with the store")
  func random() throws {
    for seed in 0..<(FullTests.areWanted ? 12 : 2) as Range<UInt64> {
      let container = try container("\(seed).json")
      let contexts = [ModelContext(container), ModelContext(container)]
      var random = SplitMix(seed: seed)
      for step in 0..<24 {
        let changed = random.once(in: 3) ? [0, 1] : [random.below(2)]
        for index in changed { for _ in 0...random.below(3) { try Self.change(contexts[index], &random) } }
        for index in changed {
          try contexts[index].save()
          let links = try Self.links(ModelContext(container))
          let halves = links.map { $0.split(separator: " ").map(String.init) }.filter { link in
            let inverse = ["plane": "pilot", "pilot": "plane", "wing": "lead", "lead": "wing"][link[2]] ?? ""
            let kind = link[2] == "plane" ? "plane" : "pilot"
            return !links.contains("\(kind) \(link[3]) \(inverse) \(link[1])")
          }
          #expect(halves.isEmpty, "seed \(seed), step \(step)")
          #expect(try Self.links(contexts[index]) == links, "seed \(seed), step \(step)")
        }
      }
    }
  }

  private static func change(_ context: ModelContext, _ random: inout SplitMix) throws {
    func pilot(_ random: inout SplitMix) throws -> StoredPilot {
      if !random.once(in: 4), let known = try pilots(context).randomElement(using: &random) { return known }
      let new = StoredPilot("\(random.next())")
      if random.once(in: 2) { context.insert(new) }
      return new
    }
    func plane(_ random: inout SplitMix) throws -> StoredPlane {
      if !random.once(in: 4), let known = try planes(context).randomElement(using: &random) { return known }
      return StoredPlane("\(random.next())")
    }
    let one = try pilot(&random)
    if one.modelContext == nil { context.insert(one) }
    switch random.below(8) {
    case 0: one.plane = nil
    case 1, 2: one.plane = try plane(&random)
    case 3:
      let plane = try plane(&random)
      context.insert(plane)
      plane.pilot = one
    case 4: one.wing = try pilot(&random)
    case 5: one.lead = try pilot(&random)
    case 6: one.wing = nil
    default: context.delete(one)
    }
  }
}
