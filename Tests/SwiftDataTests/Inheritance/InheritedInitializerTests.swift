import Foundation
import SwiftData
import Testing

@Suite("A subclass without initializers")
struct InheritedInitializerTests {
  @Model class Tree {
    var name: String
    var height: Double
    init(_ name: String, height: Double) {
      self.name = name
      self.height = height
    }
    convenience init(_ name: String) { self.init(name, height: 1) }
  }

  @Model class Fruiter: Tree {
    var fruits = 3
    var variety: String?
    var planted = Date.distantPast
    var tags: [String] = ["new"]
    @Relationship(deleteRule: .cascade, inverse: \Nest.tree) var nests: [Nest] = []
  }

  @Model final class Apple: Fruiter {
    var isRed = true
    var neighbour: Tree?
  }

  @Model final class Nest {
    var tree: Fruiter?
    init() {}
  }

  @Test("It has the initializers of its superclass, and its own values are the initial ones")
  func inherited() throws {
    let container = try ModelContainer(
      for: Apple.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let (fruiter, apple) = (Fruiter("Pear", height: 4), Apple("Apple"))
    apple.neighbour = fruiter
    apple.nests = [Nest()]
    fruiter.fruits = 9
    context.insert(apple)
    try context.save()

    let read = ModelContext(container)
    let trees = try read.fetch(FetchDescriptor<Tree>(sortBy: [SortDescriptor(\.name)]))
    let first = try #require(trees.first as? Apple)
    #expect(first.height == 1 && first.fruits == 3 && first.variety == nil && first.isRed && first.tags == ["new"])
    #expect(first.planted == .distantPast && first.nests.count == 1)
    #expect((first.neighbour as? Fruiter)?.fruits == 9 && first.neighbour?.height == 4)
    first.isRed = false
    read.delete(try #require(trees.last))
    try read.save()
    #expect(first.neighbour == nil)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Apple>()).map(\.isRed) == [false])
  }

  @Test("A new object's identifier names its own class, also if a variable of a superclass asks for it")
  func temporaryIdentifier() throws {
    let context = ModelContext(
      try ModelContainer(for: Apple.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let tree: Tree = Apple("Apple")
    #expect(tree.persistentModelID.entityName == "Apple")
    context.insert(tree)
    #expect(tree.persistentModelID.entityName == "Apple" && tree.persistentModelID.storeIdentifier == nil)
    try context.save()
    #expect(tree.persistentModelID.entityName == "Apple" && tree.persistentModelID.storeIdentifier != nil)
  }
}
