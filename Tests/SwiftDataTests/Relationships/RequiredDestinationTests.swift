import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// An engine that cannot filter rows is not asked.
@Suite("Deleting the destination of a required relationship without an inverse", .everyEngine)
struct RequiredDestinationTests {
  typealias Product = UpkeepModels.Product
  typealias Line = UpkeepModels.Line

  let world: UpkeepWorld
  let products: [Product]
  let lines: [Line]

  init() throws {
    world = try UpkeepWorld()
    products = [Product("a"), Product("b")]
    lines = [Line(1, products[0]), Line(2, products[1])]
    for line in lines { world.context.insert(line) }
    try world.context.save()
  }

  @Test("It is refused by entity and property, in memory or not", arguments: [true, false])
  func refused(isLoaded: Bool) throws {
    guard TestEngine.current != .dictionaries else { return }
    let context = isLoaded ? world.context : world.fresh
    let product = try #require(try context.first(Product.self, where: #Predicate { $0.name == "a" }))
    if isLoaded { lines[0].count = 7 }
    context.delete(product)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    let problem = try #require(error?.validationProblems.first)
    #expect(problem.entityName == "Line" && problem.propertyName == "product" && problem.rule == .deletion)
    #expect(problem.identifier == lines[0].persistentModelID && error?.validationProblems.count == 1)
    #expect(try world.count(Product.self) == 2)
    context.rollback()
    try context.save()
  }

  @Test("It is saved if the same save deletes the line or gives it another product", arguments: [true, false])
  func settled(isDeleted: Bool) throws {
    world.context.delete(products[0])
    if isDeleted { world.context.delete(lines[0]) } else { lines[0].product = products[1] }
    try world.context.save()
    #expect(try world.fresh.all(Line.self).allSatisfy { $0.product.name == "b" })
    #expect(try world.count(Line.self) == (isDeleted ? 1 : 2) && world.count(Product.self) == 1)
  }

  @Test("A deletion by a predicate is refused by entity and property, in memory or not", arguments: [true, false])
  func refusedByPredicate(isLoaded: Bool) throws {
    guard TestEngine.current != .dictionaries else { return }
    let context = isLoaded ? world.context : world.fresh
    try context.delete(model: Product.self, where: #Predicate { $0.name == "a" })
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    let problem = try #require(error?.validationProblems.first)
    #expect(problem.entityName == "Line" && problem.propertyName == "product" && problem.rule == .deletion)
    #expect(problem.identifier == lines[0].persistentModelID && error?.validationProblems.count == 1)
    context.rollback()
    try context.save()
    #expect(try world.count(Product.self) == 2 && world.count(Line.self) == 2)
  }

  @Test("A deletion by a predicate is saved if nothing leads to its rows afterwards", arguments: 0..<5)
  func settledByPredicate(way: Int) throws {
    let context = world.context
    let unused = Product("c")
    context.insert(unused)
    try context.save()
    switch way {
    case 0: try context.delete(model: Product.self, where: #Predicate { $0.name == "c" })
    case 1:
      try context.delete(model: Line.self, where: #Predicate { $0.count == 1 })
      try context.delete(model: Product.self, where: #Predicate { $0.name == "a" })
    case 2:
      try context.delete(model: Product.self, where: #Predicate { $0.name == "a" })
      try context.delete(model: Line.self, where: #Predicate { $0.count == 1 })
    case 3:
      try context.delete(model: Product.self, where: #Predicate { $0.name == "a" })
      lines[0].product = products[1]
    default:
      try context.delete(model: Line.self, where: #Predicate { $0.count == 1 })
      context.delete(products[0])
    }
    try context.save()
    #expect(try world.count(Product.self) == 2)
    #expect(try world.count(Line.self) == ([0, 3].contains(way) ? 2 : 1))
    #expect(try world.fresh.all(Line.self).allSatisfy { $0.product.isDeleted == false && !$0.product.name.isEmpty })
  }

  @Test("A deleted line does not excuse another line that the save's deletion by a predicate leaves")
  func leftByPredicate() throws {
    guard TestEngine.current != .dictionaries else { return }
    world.context.insert(Line(3, products[0]))
    try world.context.save()
    let context = world.fresh
    context.delete(try #require(try context.first(Product.self, where: #Predicate { $0.name == "a" })))
    try context.delete(model: Line.self, where: #Predicate { $0.count == 1 })
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try world.count(Product.self) == 2 && world.count(Line.self) == 3)
  }

  @Test("It is refused for the objects of a class that the container leaves out", arguments: [true, false])
  func refusedForLeftOutClass(isByPredicate: Bool) throws {
    guard TestEngine.current != .dictionaries else { return }
    let some = try TestEngine.current.container(Schema([Product.self]), world.store)
    let context = ModelContext(some)
    func delete(_ name: String) throws {
      if isByPredicate { return try context.delete(model: Product.self, where: #Predicate { $0.name == name }) }
      context.delete(try #require(try context.first(Product.self, where: #Predicate { $0.name == name })))
    }
    try delete("a")
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    let problem = try #require(error?.validationProblems.first)
    #expect(problem.entityName == "Line" && problem.propertyName == "product" && problem.rule == .deletion)
    #expect(problem.identifier == lines[0].persistentModelID && problem.problem.contains("leaves out"))
    context.rollback()
    #expect(try world.fresh.all(Line.self).allSatisfy { !$0.product.name.isEmpty })
    context.insert(Product("c"))
    try context.save()
    try delete("c")
    try context.save()
    #expect(try world.count(Product.self) == 2)
  }
}
