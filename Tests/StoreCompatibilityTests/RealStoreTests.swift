import CoreDataStore
import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Copies of stores that Apple's frameworks wrote, read and written through `ModelContext`.
@Suite("Real stores", .enabled(if: Fixtures.areAvailable, "needs ../shared/fixtures"))
struct RealStoreTests {
  /// Opens a copy, lets `change` work on it, and proves that it is a sound store with the hashes it had.
  private func withStore(
    _ name: String, _ types: [any PersistentModel.Type], change: (ModelContext) throws -> Void,
    verify: (ModelContext) throws -> Void
  ) throws {
    let store = try Fixtures.copyOfStore(name)
    // A store without a model of its own needs one to be opened.
    let model = try Schema(types).lowered()
    let before = try PersistentStore.open(at: store.url, model: model).metadata.hashes
    func context() throws -> ModelContext {
      ModelContext(try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: store.url)))
    }
    do {
      let context = try context()
      try change(context)
      try context.save()
      #expect(!context.hasChanges)
    }
    try verify(try context())
    #expect(try PersistentStore.open(at: store.url, model: model).metadata.hashes == before)
    let report = try Oracle.checkStore(store.url)
    #expect(report.status == 0, "\(report.output)")
  }

  @Test("CD-6 ResourcesManager: relationships, uniqueness, history")
  func resources() throws {
    try withStore(
      "sergd2005__ResourcesManager__histbc3d34e_default.store",
      [Resources.Item.self, Resources.CraftingRecipe.self, Resources.Component.self]
    ) { context in
      let items = try context.fetch(FetchDescriptor<Resources.Item>(sortBy: [SortDescriptor(\.name)]))
      let recipes = try context.fetch(FetchDescriptor<Resources.CraftingRecipe>())
      #expect(!items.isEmpty && !recipes.isEmpty && items.allSatisfy { !$0.name.isEmpty })
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

  @Test("CD-6 ResourcesManager: a recipe and its components go together")
  func cascade() throws {
    try withStore(
      "sergd2005__ResourcesManager__histbc3d34e_default.store",
      [Resources.Item.self, Resources.CraftingRecipe.self, Resources.Component.self]
    ) { context in
      for recipe in try context.fetch(FetchDescriptor<Resources.CraftingRecipe>()) { context.delete(recipe) }
    } verify: { (context) throws in
      #expect(try context.fetchCount(FetchDescriptor<Resources.CraftingRecipe>()) == 0)
      let items = try context.fetch(FetchDescriptor<Resources.Item>())
      #expect(!items.isEmpty && items.allSatisfy { $0.craftingRecipe == nil })
    }
  }

  @Test("FreezeRay: stores without objects, in two versions")
  func freezeRay() throws {
    try withStore("TrinsicVentures__FreezeRay__App-1_0_0.sqlite", [FreezeRay1.User.self]) { context in
      let user = FreezeRay1.User()
      user.name = "A"
      context.insert(user)
    } verify: { (context) throws in
      #expect(try context.fetch(FetchDescriptor<FreezeRay1.User>()).map(\.name) == ["A"])
    }
    try withStore("TrinsicVentures__FreezeRay__App-2_0_0.sqlite", [FreezeRay2.User.self]) { context in
      let user = FreezeRay2.User()
      user.email = "a@example.org"
      context.insert(user)
    } verify: { (context) throws in
      #expect(try context.fetch(FetchDescriptor<FreezeRay2.User>()).map(\.email) == ["a@example.org"])
    }
    let old = try Fixtures.copyOfStore("TrinsicVentures__FreezeRay__App-1_0_0.sqlite")
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: FreezeRay2.User.self, configurations: ModelConfiguration(url: old.url))
    }
    #expect(error?.explanation?.contains("email") == true)
  }

  @Test("CD-5 myhome: Decimal, UUID, dates")
  func myHome() throws {
    try withStore("nobelnrj__myhome__MyHomeV1Seed.store", [MyHome.Expense.self]) { context in
      let expense = try #require(try context.fetch(FetchDescriptor<MyHome.Expense>()).first)
      #expect(expense.amount != 0 && !expense.currencyCode.isEmpty)
      expense.note = "changed"
      context.insert(MyHome.Expense(amount: 12.5))
    } verify: { (context) throws in
      let expenses = try context.fetch(FetchDescriptor<MyHome.Expense>(sortBy: [SortDescriptor(\.createdAt)]))
      #expect(expenses.count == 2 && expenses[0].note == "changed" && expenses[1].amount == 12.5)
    }
  }

  @Test("WelcomeTo: a store of one entity")
  func welcomeTo() throws {
    try withStore("thierryH91200__WelcomeTo__SampleWelcomeTo.store", [WelcomeTo.Item.self]) { context in
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

  @Test("CD-2.4 CD-3.3 MetaCocktails: composites, enumerations, many to many, a relationship without inverse")
  func metaCocktails() throws {
    try withStore(
      "MatthewHunt84__MetaCocktailsSwiftData__histf1fca61_default.store", [MetaCocktails.Cocktail.self]
    ) { context in
      let cocktails = try context.fetch(
        FetchDescriptor<MetaCocktails.Cocktail>(sortBy: [SortDescriptor(\.cocktailName)]))
      #expect(cocktails.count > 100)
      #expect(cocktails.allSatisfy { !$0.glasswareType.rawValue.isEmpty && !$0.spec.isEmpty })
      #expect(cocktails.flatMap(\.spec).allSatisfy { !$0.ingredientBase.name.isEmpty })
      #expect(cocktails.contains { $0.author != nil } && cocktails.contains { !$0.garnish.isEmpty })
      #expect(cocktails.contains { $0.compiledTags.flavors?.isEmpty == false })
      #expect(cocktails.contains { $0.historicSpec != nil })

      let base = try #require(cocktails[0].spec.first?.ingredientBase)
      let new = MetaCocktails.Cocktail(name: "Zzz Test")
      new.author = CocktailAuthor(id: UUID(), person: "N. N.", place: nil, year: "2026")
      new.historicSpec = .gimlet
      new.compiledTags.flavors = ["Sour"]
      new.spec = [MetaCocktails.Ingredient(base: base, value: 1.5)]
      new.garnish = [MetaCocktails.Garnish(name: "Zzz Garnish")] + cocktails[0].garnish
      context.insert(new)
      cocktails[1].favorite.toggle()
      cocktails[1].notes = "changed"
      context.delete(cocktails[2])
    } verify: { (context) throws in
      let named = FetchDescriptor<MetaCocktails.Cocktail>(predicate: #Predicate { $0.cocktailName == "Zzz Test" })
      let found = try context.fetch(named)
      let new = try #require(found.first)
      #expect(new.author?.person == "N. N." && new.author?.year == "2026" && new.author?.place == nil)
      #expect(new.historicSpec == .gimlet && new.compiledTags.flavors == ["Sour"])
      #expect(new.spec.map(\.value) == [1.5] && new.garnish.contains { $0.name == "Zzz Garnish" })
      let changed = try context.fetch(
        FetchDescriptor<MetaCocktails.Cocktail>(predicate: #Predicate { $0.notes == "changed" }))
      #expect(changed.count == 1)
    }
  }

  @Test("A store that Core Data wrote is read and written with a class")
  func coreData() throws {
    try withStore(
      "wibosco__CoreDataMigrationRevised-Example__CoreDataMigration_Example_1.sqlite", [CoreData.Post.self]
    ) { context in
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
    try withStore("kodecocodes__cdt-materials__SurfJournalModel.sqlite", [CoreData.JournalEntry.self]) { context in
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
