import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// The two stores of MetaCocktails, which Apple's SwiftData wrote: structures, enumerations, arrays, history.
@Suite(.enabled(if: Fixtures.areAvailable, "needs ../shared/fixtures"))
struct CocktailStoreTests {
  private static let pairs = [
    "Cocktail.spec": "SELECT Z1SPEC, Z_PK FROM ZINGREDIENT WHERE Z1SPEC NOT NULL ORDER BY Z_PK",
    "Cocktail.garnish": "SELECT Z_1COCKTAILS, Z_GARNISHES FROM Z_1GARNISH ORDER BY Z_GARNISHES",
    "Garnish.cocktails": "SELECT Z_GARNISHES, Z_1COCKTAILS FROM Z_1GARNISH ORDER BY Z_1COCKTAILS",
  ]

  private static func pairs(garnish number: Int) -> [String: String] {
    pairs.mapValues { $0.replacing("Z_GARNISHES", with: "Z_\(number)GARNISH") }
  }

  @Test func `CD-2.4 CD-3.3 MetaCocktails: structures, enumerations, many to many, no inverse`() throws {
    let store = RealStore(
      file: "MatthewHunt84__MetaCocktailsSwiftData__histf1fca61_default.store", types: [MetaCocktails.Cocktail.self],
      names: ["Cocktail.id": "ZID1", "Cocktail.author.id": "ZID", "IngredientBase.prep.id": "ZID1"],
      pairs: Self.pairs(garnish: 2))
    try store.test { context in
      let cocktails = try context.fetch(
        FetchDescriptor<MetaCocktails.Cocktail>(sortBy: [SortDescriptor(\.cocktailName)]))
      #expect(cocktails.count > 400 && cocktails.contains { $0.historicSpec != nil })
      #expect(cocktails.contains { $0.buildOrder != nil } && cocktails.contains { !$0.garnish.isEmpty })

      let base = try #require(cocktails[0].spec.first?.ingredientBase)
      let new = MetaCocktails.Cocktail(name: "Zzz Test")
      new.author = Author(id: UUID(), person: "N. N.", place: nil, year: "2026")
      new.historicSpec = .gimlet
      new.ice = .koldDraft
      new.compiledTags.flavors = ["Sour"]
      new.compiledTags.booze = [Component(name: "Old Tom", ingredientType: .gins("Old \"Tom\""))]
      new.buildOrder = Build(instructions: [Instruction(id: UUID(), step: 1, method: "Stir\nwell")])
      new.spec = [MetaCocktails.Ingredient(base: base, value: 1.5)]
      new.garnish = [MetaCocktails.Garnish(name: "Zzz Garnish")] + cocktails[0].garnish
      context.insert(new)
      cocktails[1].favorite.toggle()
      cocktails[1].notes = "changed"
      cocktails[3].historicSpec = cocktails[3].historicSpec == .alaska ? nil : .alaska
      cocktails[3].author = nil
      context.delete(cocktails[2])
      let garnishes = try context.fetch(FetchDescriptor<MetaCocktails.Garnish>(sortBy: [SortDescriptor(\.name)]))
      context.delete(garnishes[4])
      garnishes[5].cocktails = [cocktails[4], new]
      let unused = MetaCocktails.IngredientBase(name: "Zzz Base")
      unused.prep = Prep(id: UUID(), prepIngredientName: "", prepRecipe: [])
      context.insert(unused)
    } verify: { (context) throws in
      let named = FetchDescriptor<MetaCocktails.Cocktail>(predicate: #Predicate { $0.cocktailName == "Zzz Test" })
      let found = try context.fetch(named)
      let new = try #require(found.first)
      #expect(new.author?.person == "N. N." && new.author?.year == "2026" && new.author?.place == nil)
      #expect(new.historicSpec == .gimlet && new.ice == .koldDraft && new.compiledTags.flavors == ["Sour"])
      #expect(new.compiledTags.booze?.first?.ingredientType == .gins("Old \"Tom\""))
      #expect(new.buildOrder?.instructions.first?.method == "Stir\nwell")
      #expect(new.spec.map(\.value) == [1.5] && new.garnish.contains { $0.name == "Zzz Garnish" })
      let changed = try context.fetch(
        FetchDescriptor<MetaCocktails.Cocktail>(predicate: #Predicate { $0.notes == "changed" }))
      #expect(changed.count == 1)
      let base = try context.fetch(
        FetchDescriptor<MetaCocktails.IngredientBase>(predicate: #Predicate { $0.name == "Zzz Base" }))
      #expect(base.first?.prep?.prepRecipe == [])
    }
  }

  @Test func `CD-2.4 CD-4 MetaCocktails before: indexes, arrays of an entity, structures of numbers`() throws {
    let store = RealStore(
      file: "MatthewHunt84__MetaCocktailsSwiftData__hist3292fc7_default.store", types: [EarlierCocktails.Cocktail.self],
      names: [
        "Cocktail.id": "ZID1", "Cocktail.author.id": "ZID",
        "CocktailImage.drinkColor.linearRed": "ZLINEARRED1", "CocktailImage.drinkColor.linearGreen": "ZLINEARGREEN1",
        "CocktailImage.drinkColor.linearBlue": "ZLINEARBLUE1", "CocktailImage.drinkColor.opacity": "ZOPACITY1",
      ],
      pairs: Self.pairs(garnish: 3))
    let amber = ResolvedColor(linearRed: 1, linearGreen: 0.75, linearBlue: -0.125, opacity: 0.1)
    let black = ResolvedColor(linearRed: 0, linearGreen: 0, linearBlue: 0, opacity: 1)
    try store.test { context in
      let cocktails = try context.fetch(
        FetchDescriptor<EarlierCocktails.Cocktail>(sortBy: [SortDescriptor(\.cocktailName)]))
      #expect(cocktails.count == 398 && cocktails.allSatisfy { $0.imageAsset == nil && !$0.spec.isEmpty })

      let images = [(amber, black), (black, amber), (black, black)].map {
        EarlierCocktails.CocktailImage(drinkColor: $0, backgroundColor: $1)
      }
      images[0].garnishes = ["Lime", "", "Zitrone ü\u{0}"]
      images[1].inDrinkComponents = []
      for (cocktail, image) in zip(cocktails, images) { cocktail.imageAsset = image }
      try context.save()
      images[1].drinkColor.opacity = 0.5
      images[1].garnishes = ["Mint"]
      // Without an inverse, deleting the image does not clear this relationship.
      cocktails[2].imageAsset = nil
      context.delete(images[2])

      let base = EarlierCocktails.IngredientBase(name: "Zzz Base", category: .otherNonAlcoholic)
      base.tags = Tags(flavors: [], nA: [Component(name: "Soda", ingredientType: .soda("Club"))])
      let new = EarlierCocktails.Cocktail(name: "Zzz Test")
      new.spec = [EarlierCocktails.Ingredient(base: base, value: 0.375), cocktails[5].spec[0]]
      new.collection = .fifth
      context.insert(new)
      let changed = try #require(cocktails[6].spec.first)
      changed.ingredientBase = base
      changed.unit = MeasurementUnit(rawValue: "")
      context.delete(cocktails[7])
      context.delete(try #require(cocktails.first { $0.garnish.count > 1 }).garnish[0])
    } verify: { (context) throws in
      let images = try context.fetch(
        FetchDescriptor<EarlierCocktails.CocktailImage>(sortBy: [SortDescriptor(\.drinkColor.opacity)]))
      #expect(images.map(\.drinkColor.opacity) == [0.1, 0.5])
      #expect(images[0].drinkColor == amber && images[0].backgroundColor == black)
      #expect(images[0].garnishes == ["Lime", "", "Zitrone ü\u{0}"] && images[0].inDrinkComponents == nil)
      #expect(images[1].inDrinkComponents == [] && images[1].garnishes == ["Mint"])
      let opacity: Float = 0.1
      let descriptor = FetchDescriptor<EarlierCocktails.Cocktail>(
        predicate: #Predicate { $0.imageAsset?.drinkColor.opacity == opacity || $0.cocktailName == "Zzz Test" },
        sortBy: [SortDescriptor(\.cocktailName)])
      let found = try context.fetch(descriptor)
      #expect(found.count == 2 && found[0].imageAsset === images[0])
      #expect(found[1].collection == .fifth && found[1].spec.count == 2)
      #expect(found[1].spec.contains { $0.ingredientBase.category == .otherNonAlcoholic })
    }
  }
}
