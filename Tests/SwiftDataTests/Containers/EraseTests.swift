import Foundation
import StoreRequests
import TestSupport
import Testing

@testable import SwiftData

@Suite("Erasing a container", .everyEngine)
struct EraseTests {
  enum Models {
    static let schema = Schema([Plant.self, Tree.self, Label.self, Mark.self, Tool.self, Owner.self])

    @Model class Plant {
      @Attribute(.preserveValueOnDeletion) var name: String
      /// Denies the deletion of a plant with labels.
      @Relationship(deleteRule: .deny, inverse: \Label.plant) var labels: [Label] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Tree: Plant {
      @Attribute(.preserveValueOnDeletion) var height = 7
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Label {
      var text: String
      var plant: Plant
      @Relationship(inverse: \Mark.labels) var marks: [Mark] = []
      init(_ text: String, _ plant: Plant) {
        self.text = text
        self.plant = plant
      }
    }

    @Model final class Mark {
      var sign: String
      var labels: [Label] = []
      init(_ sign: String) { self.sign = sign }
    }

    @Model final class Tool {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Owner {
      var tool: Tool
      init(_ tool: Tool) { self.tool = tool }
    }
  }

  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Models.schema, store)
    context = ModelContext(container)
    let (fern, oak, mark) = (Models.Plant("fern"), Models.Tree("oak"), Models.Mark("!"))
    for plant in [fern, oak] { context.insert(plant) }
    for (index, plant) in [fern, oak, oak].enumerated() {
      let label = Models.Label("\(index)", plant)
      context.insert(label)
      label.marks = [mark]
    }
    context.insert(Models.Tool("spade"))
    try context.save()
  }

  private func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<Model>())
  }

  @Test func `It deletes each object once, whatever delete rules say, in one transaction with the kept values`() throws
  {
    let token = try lastToken()
    try container.erase()
    #expect(try count(Models.Plant.self) == 0 && count(Models.Label.self) == 0)
    #expect(try count(Models.Mark.self) == 0 && count(Models.Tool.self) == 0)
    #expect(try context.fetch(FetchDescriptor<Models.Label>()).isEmpty)
    context.insert(Models.Tree("new"))
    try context.save()
    #expect(try count(Models.Plant.self) == 1)
    guard let token else { return }
    let transactions = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    let changes = try #require(transactions.first).changes
    #expect(transactions.count == 2 && changes.count == 7)
    let names = changes.compactMap { change -> String? in
      guard case .delete(let deletion) = change else { return nil }
      if let plant = deletion as? DefaultHistoryDelete<Models.Plant> { return plant.tombstone[\.name] as? String }
      if let tree = deletion as? DefaultHistoryDelete<Models.Tree>, tree.tombstone[\.height] as? Int == 7 {
        return tree.tombstone[\.name] as? String
      }
      return deletion.changedPersistentIdentifier.entityName
    }
    #expect(names.sorted() == ["Label", "Label", "Label", "Mark", "Tool", "fern", "oak"])
  }

  private func lastToken() throws -> DefaultHistoryToken? {
    guard TestEngine.current != .dictionaries else { return nil }
    return try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token
  }

  @Test func `An engine that empties some entities lets the rows of others give up the deleted rows`() throws {
    let engine = container.core.stores[0].engine
    guard engine.capabilities.contains(.batch) else { return }
    var changes = ChangeSet()
    changes.batches = [.empty(["Label"])]
    #expect(try engine.save(changes).batchDeleted.count == 3)
    let fresh = ModelContext(container)
    #expect(try fresh.fetch(FetchDescriptor<Models.Mark>()).map(\.labels.count) == [0])
    #expect(try fresh.fetch(FetchDescriptor<Models.Plant>()).allSatisfy(\.labels.isEmpty))
    changes.batches = [.empty(["Plant"]), .empty(["Mark"])]
    let result = try engine.save(changes)
    #expect(result.batchDeleted.count == 2 && result.batchUpdated.isEmpty)
    #expect(try count(Models.Plant.self) == 1 && count(Models.Tool.self) == 1)
  }

  @Test func `Objects of a class that the container leaves out keep the objects that they require`() throws {
    guard TestEngine.current != .dictionaries else { return }
    context.insert(Models.Owner(Models.Tool("rake")))
    try context.save()
    let some = try TestEngine.current.container(Schema([Models.Tool.self]), store)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try some.erase() }
    #expect(error?.explanation?.contains("“Owner”") == true && error?.explanation?.contains("“tool”") == true)
    #expect(try count(Models.Tool.self) == 2)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Models.Owner>()).map(\.tool.name) == ["rake"])
    try context.delete(model: Models.Owner.self)
    try context.save()
    try some.erase()
    #expect(try count(Models.Tool.self) == 0 && count(Models.Plant.self) == 2)
  }
}
