import Foundation
import SwiftData

/// One random fetch, compared with Foundation's evaluation and Swift's sorting of all objects.
struct FetchCheck<Model: PersistentModel> {
  let table: ClassTable<Model>
  let world: RandomWorld
  let predicate: Predicate<Model>
  let text: String
  private var sortNames: [String] = []
  private var wantedSorts: [SortDescriptor<Model>] = []
  private var askedSorts: [SortDescriptor<Model>] = []

  init(_ table: ClassTable<Model>, _ world: RandomWorld) {
    (self.table, self.world) = (table, world)
    var text = ""
    predicate = Predicate<Model> { variable in
      let condition = RandomConditions(world).condition(on: variable, depth: world.random.below(5))
      text = condition.text
      return condition.part
    }
    self.text = text
    for _ in 0..<world.random.below(3) {
      guard let sort = table.sorts.randomElement(using: &world.random) else { break }
      let order = world.random.once(in: 2) ? SortOrder.forward : .reverse
      sortNames.append("\(sort.name) \(order)")
      wantedSorts.append(sort.make(order))
      // The order may be set later, as by a table's header. Foundation on Linux does not compare by it then.
      var asked = sort.make(world.random.once(in: 2) ? .forward : .reverse)
      asked.order = order
      askedSorts.append(asked)
    }
  }

  func run() throws {
    do {
      try compare()
    } catch {
      report("an error", "\(error)")
    }
  }

  private func compare() throws {
    let expected = try world.live(Model.self).filter(predicate.evaluate)
    let all = FetchDescriptor(predicate: predicate)
    let serials = expected.map { $0[keyPath: table.serial] }
    let fetched = try world.context.fetch(all)
    expect("fetch", fetched.map { $0[keyPath: table.serial] }.sorted(), serials.sorted())
    if !fetched.allSatisfy({ one in expected.contains { $0 === one } }) { report("fetch", "another object") }
    expect("fetchCount", try world.context.fetchCount(all), expected.count)
    let identifiers = try world.context.fetchIdentifiers(all)
    expect("fetchIdentifiers", Set(identifiers), Set(expected.map(\.persistentModelID)))
    expect("fetchIdentifiers without repetition", identifiers.count, expected.count)

    // The number of an object, last in the order, decides among equal ones.
    let last = [SortDescriptor(table.serial)]
    let sorted = expected.sorted(using: wantedSorts + last).map { $0[keyPath: table.serial] }
    var slice = FetchDescriptor(predicate: predicate, sortBy: askedSorts + last)
    if world.random.once(in: 2) { slice.fetchLimit = 1 + world.random.below(9) }
    if world.random.once(in: 3) { slice.fetchOffset = world.random.below(6) }
    let rest = sorted.dropFirst(slice.fetchOffset ?? 0)
    let part = Array(rest.prefix(slice.fetchLimit ?? rest.count))
    expect("sorted fetch", try world.context.fetch(slice).map { $0[keyPath: table.serial] }, part)
    expect("count of a slice", try world.context.fetchCount(slice), part.count)
    if !world.isPending, world.random.once(in: 4) {
      let other = ModelContext(world.container)
      expect("fetch in a new context", try other.fetch(slice).map { $0[keyPath: table.serial] }, part)
    }
  }

  private func expect<Value: Equatable>(_ what: String, _ found: Value, _ wanted: Value) {
    if found != wanted { report(what, "\(found) instead of \(wanted)") }
  }

  private func report(_ what: String, _ problem: String) {
    let order = sortNames.isEmpty ? "" : ", by \(sortNames.joined(separator: ", "))"
    world.differences.append(
      "\(world.isPending ? "pending, " : "")\(what) of \(table.name)\(order): \(problem)\n    \(text)")
  }
}
