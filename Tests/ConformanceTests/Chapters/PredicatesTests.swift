import Foundation
import SwiftData
import Testing

/// Predicates are Swift, checked by the compiler and asked of the store.
@Suite("Queries and predicates")
struct PredicatesTests {
  @Model final class Cook {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Recipe.cook) var recipes: [Recipe] = []
    init(name: String) { self.name = name }
  }

  @Model final class Recipe {
    var title: String
    var published: Date
    var views: Int
    var isDraft: Bool
    var cook: Cook?
    @Relationship(inverse: \Spice.recipes) var spices: [Spice] = []
    init(title: String, published: Date, views: Int = 0, isDraft: Bool = false) {
      self.title = title
      self.published = published
      self.views = views
      self.isDraft = isDraft
    }
  }

  @Model final class Spice {
    @Attribute(.unique) var name: String
    var recipes: [Recipe] = []
    init(name: String) { self.name = name }
  }

  private func filled(_ place: ChapterPlace) throws -> ChapterStore {
    let store = try ChapterStore(place, Cook.self, Recipe.self, Spice.self)
    let (mira, jan) = (Cook(name: "Mira"), Cook(name: "Jan"))
    let (saffron, thyme) = (Spice(name: "Saffron"), Spice(name: "Thyme"))
    let soup = Recipe(title: "Crème de courge", published: .january(1), views: 250)
    let stew = Recipe(title: "Important stew", published: .january(8), views: 90)
    let bread = Recipe(title: "Bread", published: .january(9), views: 400, isDraft: true)
    (soup.cook, stew.cook) = (mira, jan)
    soup.spices = [saffron, thyme]
    bread.spices = [thyme]
    for recipe in [soup, stew, bread] { store.context.insert(recipe) }
    try store.context.save()
    return store
  }

  private func titles(_ store: ChapterStore, _ predicate: Predicate<Recipe>) throws -> [String] {
    try store.freshContext()
      .fetch(FetchDescriptor<Recipe>(predicate: predicate, sortBy: [SortDescriptor(\.published)])).map(\.title)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `booleans compare and negate`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    #expect(try titles(store, #Predicate<Recipe> { $0.isDraft == false }).count == 2)
    #expect(try titles(store, #Predicate<Recipe> { !$0.isDraft }).count == 2)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `text is searched as a reader expects it`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let search = "creme"
    #expect(try titles(store, #Predicate<Recipe> { $0.title.localizedStandardContains(search) }) == ["Crème de courge"])
    #expect(try titles(store, #Predicate<Recipe> { $0.title.contains("important") }) == [])
    #expect(try titles(store, #Predicate<Recipe> { $0.title.contains("Important") }) == ["Important stew"])
    #expect(try titles(store, #Predicate<Recipe> { $0.title.starts(with: "Br") }) == ["Bread"])
  }

  // Some samples make the date inside the predicate: Apple's compiler rejects that, and so does ours.
  @Test(arguments: ChapterPlace.allCases)
  func `dates compare with a captured date`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let lastWeek = try #require(Calendar.current.date(byAdding: .day, value: -7, to: .january(10)))
    #expect(try titles(store, #Predicate<Recipe> { $0.published > lastWeek }) == ["Important stew", "Bread"])
  }

  @Test(arguments: ChapterPlace.allCases, [("", false, 3), ("", true, 1), ("stew", false, 1), ("stew", true, 0)])
  func `captured values switch conditions on and off`(_ place: ChapterPlace, _ row: (String, Bool, Int)) throws {
    let store = try filled(place)
    let (search, onlyDrafts, count) = row
    let found = try titles(
      store,
      #Predicate<Recipe> { recipe in
        (search.isEmpty || recipe.title.localizedStandardContains(search)) && (!onlyDrafts || recipe.isDraft == true)
      })
    #expect(found.count == count)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `conditions combine`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let least = 100
    let complex = #Predicate<Recipe> { recipe in
      recipe.isDraft == false && recipe.views >= least && recipe.title.localizedStandardContains("courge")
    }
    #expect(try titles(store, complex) == ["Crème de courge"])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an optional relationship is followed`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let name = "Jan"
    #expect(try titles(store, #Predicate<Recipe> { $0.cook?.name == name }) == ["Important stew"])
    #expect(try titles(store, #Predicate<Recipe> { $0.cook == nil }) == ["Bread"])
    // Some samples write “return false” after the “if”: Apple's compiler and ours want one expression, hence “else”.
    let safe = #Predicate<Recipe> { recipe in
      if let cook = recipe.cook {
        return cook.name == "Jan"
      } else {
        return false
      }
    }
    #expect(try titles(store, safe) == ["Important stew"])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `members of a relationship are counted and searched`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    #expect(try titles(store, #Predicate<Recipe> { $0.spices.count > 1 }) == ["Crème de courge"])
    let withThyme = #Predicate<Recipe> { recipe in recipe.spices.contains(where: { $0.name == "Thyme" }) }
    #expect(try titles(store, withThyme) == ["Crème de courge", "Bread"])
    let busy = FetchDescriptor<Cook>(predicate: #Predicate { cook in cook.recipes.count > 0 })
    #expect(try store.context.fetchCount(busy) == 2)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a descriptor's parts may be set later`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    var descriptor = FetchDescriptor<Recipe>(predicate: #Predicate { !$0.isDraft })
    descriptor.sortBy = [SortDescriptor(\Recipe.views, order: .reverse), SortDescriptor(\.title)]
    #expect(try store.context.fetch(descriptor).map(\.views) == [250, 90])
    descriptor.predicate = nil
    #expect(try store.context.fetch(descriptor).map(\.views) == [400, 250, 90])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `booleans sort`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let sorts = [SortDescriptor(\Recipe.isDraft, order: .forward), SortDescriptor(\Recipe.published, order: .reverse)]
    #expect(try store.context.fetch(FetchDescriptor(sortBy: sorts)).map(\.views) == [90, 250, 400])
  }
}
