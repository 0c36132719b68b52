import Foundation
import SwiftData

/// The objects of one schema in a store on disk, and the counts of what was compared.
final class RandomWorld {
  var random: SplitMix
  let tables: [any AnyClassTable]
  let container: ModelContainer
  let context: ModelContext
  private(set) var objects: [(object: any PersistentModel, table: any AnyClassTable)] = []
  private var serials = 0
  /// Whether the context has changes that are not saved.
  private(set) var isPending = false
  var caseCount = 0
  var differences: [String] = []

  init(_ tables: [any AnyClassTable], seed: UInt64, store: URL) throws {
    random = SplitMix(seed: seed)
    self.tables = tables
    container = try ModelContainer(
      for: Schema(tables.map(\.type)), configurations: ModelConfiguration(url: store))
    context = ModelContext(container)
    context.autosaveEnabled = false
    for table in tables { for _ in 0..<(4 + random.below(6)) { insert(table) } }
    for (object, table) in objects { table.fill(object, self, all: true) }
    try context.save()
  }

  func table<Model: PersistentModel>(_: Model.Type) -> ClassTable<Model> {
    for table in tables { if let found = table as? ClassTable<Model> { return found } }
    fatalError("no table of \(Model.self)")
  }

  func nextSerial() -> Int {
    serials += 1
    return serials
  }

  func live<Model: PersistentModel>(_: Model.Type) -> [Model] { objects.compactMap { $0.object as? Model } }

  func anyObject<Model: PersistentModel>(_ type: Model.Type) -> Model? { live(type).randomElement(using: &random) }

  func someObjects<Model: PersistentModel>(_ type: Model.Type) -> [Model] {
    Array(live(type).shuffled(using: &random).prefix(random.below(5)))
  }

  private func insert(_ table: any AnyClassTable) {
    if let object = table.insertObject(self) { objects.append((object, table)) }
  }

  /// Inserts, changes and deletes some objects, without saving.
  func changeSome() {
    isPending = true
    let old = objects.count
    for table in tables where random.once(in: 2) { insert(table) }
    for (object, table) in objects[old...] { table.fill(object, self, all: true) }
    for _ in 0..<6 {
      let (object, table) = objects[random.below(objects.count)]
      table.fill(object, self, all: false)
    }
    for _ in 0..<max(random.below(5), objects.count - tables.count * 9) where objects.count > tables.count * 4 {
      let (object, _) = objects.remove(at: random.below(objects.count))
      context.delete(object)
    }
    // The delete rules apply here, or in the next fetch; the evaluation has to see what the fetch sees.
    context.processPendingChanges()
  }

  func save() throws {
    try context.save()
    isPending = false
  }

  /// Compares so many fetches: of saved objects, and of others among changes.
  func run(_ count: Int) throws {
    for number in 0..<count {
      // Forty cases of saved objects, then forty among changes.
      if number % 80 == 40 { changeSome() }
      if number % 80 == 0 { try save() }
      try tables[random.below(tables.count)].check(self)
      caseCount += 1
    }
  }
}
