import Foundation
import SwiftData

// Classes for real stores, written from what the stores' own models say.

enum FreezeRay1 {
  @Model final class User {
    var createdAt: Date?
    var name: String?
    init() {}
  }
}

enum FreezeRay2 {
  @Model final class User {
    var createdAt: Date?
    var email: String?
    var name: String?
    init() {}
  }
}

enum MyHome {
  @Model final class Expense {
    var id: UUID
    var amount: Decimal
    var currencyCode: String
    var date: Date
    var note: String?
    var createdAt: Date
    var updatedAt: Date

    init(amount: Decimal) {
      id = UUID()
      self.amount = amount
      currencyCode = "EUR"
      date = .now
      createdAt = .now
      updatedAt = .now
    }
  }
}

enum WelcomeTo {
  @Model final class Item {
    var timestamp: Date
    var number: Int

    init(timestamp: Date, number: Int) {
      self.timestamp = timestamp
      self.number = number
    }
  }
}

enum Resources {
  @Model final class Item {
    @Attribute(.unique) var name: String
    var craftingRecipe: CraftingRecipe?
    init(name: String) { self.name = name }
  }

  @Model final class CraftingRecipe {
    @Relationship(inverse: \Item.craftingRecipe) var producedItem: Item?
    var producedItemCount = "1"
    @Relationship(deleteRule: .cascade, inverse: \Component.craftingRecipe) var requiredComponents: [Component] = []
    init() {}
  }

  @Model final class Component {
    var id: UUID
    var count: Int
    var item: Item?
    var craftingRecipe: CraftingRecipe?

    init(count: Int) {
      id = UUID()
      self.count = count
    }
  }
}

/// Stores that Core Data wrote, before SwiftData and without a model of their own in one case.
enum CoreData {
  @Model final class Post {
    var color: String?
    var content: String?
    var date: Date?
    var postID: String?
    init() {}
  }

  @Model final class JournalEntry {
    var date: Date?
    var height: String?
    var location: String?
    var period: String?
    var rating: Int16?
    var wind: String?
    init() {}
  }
}

/// A raw value whatever it is, so that nothing real data has is lost.
struct Word: RawRepresentable, Codable, Hashable { var rawValue: String }
struct Digit: RawRepresentable, Codable, Hashable { var rawValue: Int }

struct CocktailAuthor: Codable {
  var id: UUID
  var person: String
  var place: String?
  var year: String?
}

/// Whatever the JSON of a nested value says.
enum Anything: Codable {
  case null
  case text(String)
  case number(Double)
  case list([Anything])
  case object([String: Anything])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let list = try? container.decode([Anything].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: Anything].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .list(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }
}

struct CocktailBuild: Codable { var instructions: [Anything] }

struct CocktailTags: Codable {
  var flavors: [String]?
  var profiles: [String]?
  var styles: [String]?
  var booze: [Anything]?
  var nA: [Anything]?
}

struct CocktailPrep: Codable {
  var id: UUID
  var prepIngredientName: String
  var prepRecipe: [Anything]
}

enum CocktailHistory: Codable, CaseIterable {
  case algonquin, alaska, betweenTheSheets, bloodAndSand, bramble, bobbyBurns, chocolateCocktail, elDiablo, fogCutter
  case ginFizz, gimlet, silverFizz, hotToddy, mexicanFiringSquad, modernCocktail
}

enum MetaCocktails {
  @Model final class Cocktail {
    @Attribute(.unique) var cocktailName: String
    var favorite: Bool
    var glasswareType: Word
    var ice: Word?
    var id: UUID
    var collectionName: String
    var author: CocktailAuthor?
    var compiledTags = CocktailTags()
    var titleCocktail: Bool?
    var variation: Word?
    var variationName: String?
    var isCustomCocktail: Bool
    var notes: String?
    var historicSpec: CocktailHistory?
    @Relationship(deleteRule: .cascade) var spec: [Ingredient]
    var buildOrder: CocktailBuild?
    var collection: Digit?
    @Relationship(inverse: \Garnish.cocktails) var garnish: [Garnish]

    init(name: String) {
      cocktailName = name
      favorite = false
      glasswareType = Word(rawValue: "coupe")
      id = UUID()
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
    var unit: Word

    init(base: IngredientBase, value: Double) {
      id = UUID()
      ingredientBase = base
      self.value = value
      unit = Word(rawValue: "oz")
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
    var prep: CocktailPrep?
    var tags: CocktailTags?

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
