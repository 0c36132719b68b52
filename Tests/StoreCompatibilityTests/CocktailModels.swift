import Foundation
import SwiftData

/// The later store of MetaCocktails: enumerations with and without raw values, structures with lists, indexes.
enum MetaCocktails {
  @Model final class Cocktail {
    #Index<Cocktail>([\.cocktailName], [\.collectionName], [\.cocktailName, \.collectionName])

    @Attribute(.unique) var cocktailName: String
    var favorite: Bool
    var glasswareType: Glassware
    var ice: Ice?
    var id = UUID()
    var collectionName: String
    var author: Author?
    var compiledTags = Tags()
    var titleCocktail: Bool?
    var variation: Variation?
    var variationName: String?
    var isCustomCocktail: Bool
    var notes: String?
    var historicSpec: HistoricSpec?
    @Relationship(deleteRule: .cascade) var spec: [Ingredient]
    var buildOrder: Build?
    var collection: CocktailCollection?
    @Relationship(inverse: \Garnish.cocktails) var garnish: [Garnish]

    init(name: String) {
      cocktailName = name
      favorite = false
      glasswareType = Glassware(rawValue: "Coupe")
      collectionName = ""
      isCustomCocktail = true
      spec = []
      garnish = []
    }
  }

  @Model final class Garnish {
    @Attribute(.unique) var name: String
    var cocktails: [Cocktail]?
    init(name: String) { self.name = name }
  }

  @Model final class Ingredient {
    var id: UUID
    var ingredientBase: IngredientBase
    var value: Double
    var unit: MeasurementUnit

    init(base: IngredientBase, value: Double) {
      id = UUID()
      ingredientBase = base
      self.value = value
      unit = MeasurementUnit(rawValue: "oz")
    }
  }

  @Model final class IngredientBase {
    var id: UUID
    @Attribute(.unique) var name: String
    var baseCategory: String
    var umbrellaCategory: String
    var specialtyCategory: String
    var info: String?
    var isCustom: Bool
    var prep: Prep?
    var tags: Tags?

    init(name: String) {
      id = UUID()
      self.name = name
      baseCategory = ""
      umbrellaCategory = ""
      specialtyCategory = ""
      isCustom = true
    }
  }
}

/// The earlier store: indexes, arrays at entity level, structures of numbers, a relationship to an entity without rows.
enum EarlierCocktails {
  @Model final class Cocktail {
    #Index<Cocktail>([\.cocktailName], [\.collectionName], [\.cocktailName, \.collectionName])

    @Attribute(.unique) var cocktailName: String
    var glasswareType: Glassware
    var ice: EarlierIce?
    var id = UUID()
    var collectionName: String
    var author: Author?
    var compiledTags = Tags()
    var titleCocktail: Bool?
    var imageAsset: CocktailImage?
    var variation: Variation?
    @Relationship(deleteRule: .cascade) var spec: [Ingredient]
    var buildOrder: Build?
    var collection: CocktailCollection?
    @Relationship(inverse: \Garnish.cocktails) var garnish: [Garnish]

    init(name: String) {
      cocktailName = name
      glasswareType = Glassware(rawValue: "Coupe")
      collectionName = ""
      spec = []
      garnish = []
    }
  }

  @Model final class CocktailImage {
    var glassBackLayer: String
    var innerRim: String
    var drinkColor: ResolvedColor
    var drinkLayer: String
    var glassReflection: String
    var garnishes: [String]?
    var straw: String?
    var iceLayer: String?
    var backgroundColor: ResolvedColor
    var inDrinkComponents: [String]?

    init(drinkColor: ResolvedColor, backgroundColor: ResolvedColor) {
      glassBackLayer = "back"
      innerRim = ""
      self.drinkColor = drinkColor
      drinkLayer = "layer"
      glassReflection = "reflection"
      self.backgroundColor = backgroundColor
    }
  }

  @Model final class Garnish {
    @Attribute(.unique) var name: String
    var cocktails: [Cocktail]?
    init(name: String) { self.name = name }
  }

  @Model final class Ingredient {
    var id: UUID
    var ingredientBase: IngredientBase
    var value: Double
    var unit: MeasurementUnit

    init(base: IngredientBase, value: Double) {
      id = UUID()
      ingredientBase = base
      self.value = value
      unit = MeasurementUnit(rawValue: "oz.")
    }
  }

  @Model final class IngredientBase {
    @Attribute(.unique) var name: String
    var info: String?
    var isCustom: Bool
    var category: BaseCategory
    var prep: Prep?
    var tags: Tags?

    init(name: String, category: BaseCategory) {
      self.name = name
      self.category = category
      isCustom = true
    }
  }
}
