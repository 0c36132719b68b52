import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Copies of stores that Apple's frameworks wrote, read and written through `ModelContext`.
@Suite("Real stores", .enabled(if: Fixtures.areAvailable, "needs ../shared/fixtures"))
struct RealStoreTests {
  private static let resources = RealStore(
    file: "sergd2005__ResourcesManager__histbc3d34e_default.store",
    types: [Resources.Item.self, Resources.CraftingRecipe.self, Resources.Component.self],
    pairs: [
      "CraftingRecipe.requiredComponents": "SELECT ZCRAFTINGRECIPE, Z_PK FROM ZCOMPONENT WHERE ZCRAFTINGRECIPE NOT NULL"
    ])

  @Test("CD-6 ResourcesManager: relationships, uniqueness, history")
  func resources() throws {
    try Self.resources.test { context in
      let items = try context.fetch(FetchDescriptor<Resources.Item>(sortBy: [SortDescriptor(\.name)]))
      let recipes = try context.fetch(FetchDescriptor<Resources.CraftingRecipe>())
      #expect(items.map(\.name) == ["Rope", "Shot Wooden Stick", "Stone", "Stone Axe"] && !recipes.isEmpty)
      for recipe in recipes {
        #expect(recipe.requiredComponents.allSatisfy { $0.craftingRecipe === recipe })
        if let item = recipe.producedItem { #expect(item.craftingRecipe === recipe) }
      }
      let component = Resources.Component(count: 7)
      component.item = items[0]
      recipes[0].requiredComponents.append(component)
      context.insert(Resources.Item(name: "new"))
      items[0].name += " changed"
    } verify: { (context) throws in
      let names = try context.fetch(FetchDescriptor<Resources.Item>()).map(\.name)
      #expect(names.contains("new") && names.contains { $0.hasSuffix(" changed") })
      let component = try context.fetch(
        FetchDescriptor<Resources.Component>(predicate: #Predicate { $0.count == 7 })
      ).first
      #expect(component?.item?.name.hasSuffix(" changed") == true && component?.craftingRecipe != nil)
    }
  }

  @Test("CD-6 ResourcesManager: deleting a recipe deletes its components")
  func cascade() throws {
    try Self.resources.test { context in
      for recipe in try context.fetch(FetchDescriptor<Resources.CraftingRecipe>()) { context.delete(recipe) }
    } verify: { (context) throws in
      #expect(try context.fetchCount(FetchDescriptor<Resources.CraftingRecipe>()) == 0)
      let items = try context.fetch(FetchDescriptor<Resources.Item>())
      #expect(!items.isEmpty && items.allSatisfy { $0.craftingRecipe == nil })
    }
  }

  @Test("FreezeRay: stores without objects, in two versions")
  func freezeRay() throws {
    let first = RealStore(file: "TrinsicVentures__FreezeRay__App-1_0_0.sqlite", types: [FreezeRay1.User.self])
    try first.test { context in
      let user = FreezeRay1.User()
      user.name = "A"
      context.insert(user)
    } verify: { (context) throws in
      #expect(try context.fetch(FetchDescriptor<FreezeRay1.User>()).map(\.name) == ["A"])
    }
    let second = RealStore(file: "TrinsicVentures__FreezeRay__App-2_0_0.sqlite", types: [FreezeRay2.User.self])
    try second.test { context in
      let user = FreezeRay2.User()
      user.email = "a@example.org"
      context.insert(user)
    } verify: { (context) throws in
      #expect(try context.fetch(FetchDescriptor<FreezeRay2.User>()).map(\.email) == ["a@example.org"])
    }
    let old = try Fixtures.copyOfStore(first.file)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: FreezeRay2.User.self, configurations: ModelConfiguration(url: old.url, allowsSave: false))
    }
    #expect(error?.explanation?.contains("email") == true)
    // A store that may be written is migrated.
    let container = try ModelContainer(for: FreezeRay2.User.self, configurations: ModelConfiguration(url: old.url))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<FreezeRay2.User>()) == 0)
  }

  @Test("CD-5 myhome: Decimal, UUID, dates")
  func myHome() throws {
    let store = RealStore(file: "nobelnrj__myhome__MyHomeV1Seed.store", types: [MyHome.Expense.self])
    try store.test { context in
      let expense = try #require(try context.fetch(FetchDescriptor<MyHome.Expense>()).first)
      #expect(expense.amount == 100 && expense.currencyCode == "INR")
      #expect(expense.id.uuidString == "1C940251-ABBB-49B6-BA41-40B334AC35FC")
      #expect(expense.createdAt.timeIntervalSinceReferenceDate == 801_744_174.448288)
      expense.note = "changed"
      context.insert(MyHome.Expense(amount: 12.5))
    } verify: { (context) throws in
      let expenses = try context.fetch(FetchDescriptor<MyHome.Expense>(sortBy: [SortDescriptor(\.createdAt)]))
      #expect(expenses.count == 2 && expenses[0].note == "changed" && expenses[1].amount == 12.5)
    }
  }

  @Test("WelcomeTo: a store of one entity")
  func welcomeTo() throws {
    let store = RealStore(file: "thierryH91200__WelcomeTo__SampleWelcomeTo.store", types: [WelcomeTo.Item.self])
    try store.test { context in
      for number in 0..<3 {
        context.insert(WelcomeTo.Item(timestamp: Date(timeIntervalSinceReferenceDate: 5), number: number))
      }
      try context.save()
      let items = try context.fetch(FetchDescriptor<WelcomeTo.Item>(sortBy: [SortDescriptor(\.number)]))
      context.delete(items[1])
    } verify: { (context) throws in
      let items = try context.fetch(FetchDescriptor<WelcomeTo.Item>(sortBy: [SortDescriptor(\.number)]))
      #expect(items.map(\.number) == [0, 2])
      #expect(items.allSatisfy { $0.timestamp == Date(timeIntervalSinceReferenceDate: 5) })
    }
  }

  @Test("A store that Core Data wrote is read and written with a class")
  func coreData() throws {
    let store = RealStore(
      file: "wibosco__CoreDataMigrationRevised-Example__CoreDataMigration_Example_1.sqlite",
      types: [CoreData.Post.self])
    try store.test { context in
      let posts = try context.fetch(FetchDescriptor<CoreData.Post>())
      #expect(posts.count == 10 && posts.allSatisfy { $0.content != nil && $0.postID != nil })
      posts[0].content = "changed"
      context.delete(posts[1])
      context.insert(CoreData.Post())
    } verify: { (context) throws in
      #expect(try context.fetchCount(FetchDescriptor<CoreData.Post>()) == 10)
      #expect(try context.fetch(FetchDescriptor<CoreData.Post>()).contains { $0.content == "changed" })
    }
  }

  @Test("A store without a model of its own is opened by the classes")
  func withoutModelCache() throws {
    let store = RealStore(
      file: "kodecocodes__cdt-materials__SurfJournalModel.sqlite", types: [CoreData.JournalEntry.self])
    try store.test { context in
      let entries = try context.fetch(FetchDescriptor<CoreData.JournalEntry>())
      #expect(entries.count == 5000 && entries.allSatisfy { $0.date != nil && $0.location != nil })
      entries[0].rating = 5
      context.delete(entries[1])
      context.insert(CoreData.JournalEntry())
    } verify: { (context) throws in
      #expect(try context.fetchCount(FetchDescriptor<CoreData.JournalEntry>()) == 5000)
    }
  }
}
