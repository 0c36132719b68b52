import Foundation
import ManagedModel
import Testing

@testable import SwiftData

/// The classes of real SwiftData stores, written from what the stores say, and the hashes those stores carry.
@Suite struct SchemaHashTests {
  private func hashes(_ types: [any PersistentModel.Type]) throws -> [String: String] {
    try VersionHashes(Schema(types).lowered()).hashes.mapValues { data in
      data.map { String(format: "%02x", $0) }.joined()
    }
  }

  @Test func `VH-1 FreezeRay's two versions of a user`() throws {
    #expect(
      try hashes([FreezeRay1.User.self]) == [
        "User": "bbf54e4ba2823a88c9d7b39c0494507f5932a4f1c2e3789d309f4175e5af66d2"
      ])
    #expect(
      try hashes([FreezeRay2.User.self]) == [
        "User": "9d8506f17975d9feec6fb99e275ba570fc00dcbc189007a4b520edccd250f29c"
      ])
  }

  @Test func `VH-5 myhome: Decimal, UUID, dates, optional strings`() throws {
    #expect(
      try hashes([MyHome.Expense.self]) == [
        "Expense": "9cc544706a13fc51cd45d8b7748e3f0185702b787a0e51fe89828b58c7695e09"
      ])
  }

  @Test func `VH-5 WelcomeTo: an Int is an Integer 64`() throws {
    #expect(
      try hashes([WelcomeTo.Item.self]) == [
        "Item": "3ea43e52eff507015a7606de3cd7215b14034f9c26adc125cb6f153b01a604dc"
      ])
  }

  @Test func `VH-3 VH-6 ResourcesManager: uniqueness, inverses and none`() throws {
    #expect(
      try hashes([Resources.Item.self]) == [
        "Item": "683a2c663d51fe60fba4165feb790087bed871d837ba64e81eb1e8836428c2a5",
        "Component": "fc80203a8a339b148fd0b6c3b0e586a260591563cf6780a406e69f18a69f8406",
        "CraftingRecipe": "acc6c82026903fd8bd74a3965988ffb840c0794119ccc9d6b360a0a753104617",
      ])
  }

  @Test func `VH-8 MetaCocktails: structures, enumerations with and without raw values`() throws {
    #expect(
      try hashes([RealMeta.Cocktail.self]) == [
        "Cocktail": "78b8be45a61c914cccf034ad2da209e146fce08f2c5906a791c1091761613590",
        "Garnish": "76a9959e90e79ed17b32a980a29e5368b953c5b7e7fd4073cfe063e316d44cc5",
        "Ingredient": "4a3b9f32df42aee19eb186b6ad03ad57c96cd3fb4532671a4063da2002cfc61a",
        "IngredientBase": "a017653989a9a1b642674e178f21d0f983180ef6b26dc16736063535ab22e615",
      ])
  }

  @Test func `VH-8 MetaCocktails before: arrays at entity level, a structure of numbers`() throws {
    #expect(
      try hashes([Meta2.Cocktail.self]) == [
        "Cocktail": "e3811a6b3af82f1b85b364ff94036ece95986f8422c941f834787002c3bffff5",
        "CocktailImage": "e5242d181d1eb8e5b999d0e19f84b74db5c473219db44416e51022dfab605201",
        "Garnish": "76a9959e90e79ed17b32a980a29e5368b953c5b7e7fd4073cfe063e316d44cc5",
        "Ingredient": "4a3b9f32df42aee19eb186b6ad03ad57c96cd3fb4532671a4063da2002cfc61a",
        "IngredientBase": "b7204663387a5680bdfd9bed01991300dbeccf23d6a9eba4f9902b6341dfac0e",
      ])
  }
}

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
    var producedItemCount: String
    @Relationship(deleteRule: .cascade, inverse: \Component.craftingRecipe) var requiredComponents: [Component]
    init() {
      producedItemCount = "1"
      requiredComponents = []
    }
  }

  @Model final class Component {
    var id: UUID
    var count: Int
    var item: Item?
    var craftingRecipe: CraftingRecipe?
    init() {
      id = UUID()
      count = 1
    }
  }
}

struct MetaAuthor: Codable {
  var id: UUID
  var person: String
  var place: String?
  var year: String?
}

struct MetaStep: Codable {
  var text: String
}

struct MetaBuild: Codable { var instructions: [MetaStep] }

struct MetaTags: Codable {
  var flavors: [String]?
  var profiles: [String]?
  var styles: [String]?
  var booze: [MetaStep]?
  var nA: [MetaStep]?
}

struct MetaPrep: Codable {
  var id: UUID
  var prepIngredientName: String
  var prepRecipe: [MetaStep]
}

struct MetaColor: Codable {
  var linearRed: Float
  var linearGreen: Float
  var linearBlue: Float
  var opacity: Float
}

enum MetaName: String, Codable { case one, two }
enum MetaNumber: Int, Codable { case one = 1, two }
enum MetaHistory: Codable, CaseIterable {
  case algonquin, alaska, betweenTheSheets, bloodAndSand, bramble, bobbyBurns, chocolateCocktail, elDiablo, fogCutter
  case ginFizz, gimlet, silverFizz, hotToddy, mexicanFiringSquad, modernCocktail
}

enum Meta2 {
  @Model final class Cocktail {
    @Attribute(.unique) var cocktailName: String
    var glasswareType: MetaName
    var ice: MetaName?
    var id: UUID
    var collectionName: String
    var author: MetaAuthor?
    var compiledTags: MetaTags = MetaTags()
    var titleCocktail: Bool?
    var imageAsset: CocktailImage?
    var variation: MetaName?
    @Relationship(deleteRule: .cascade) var spec: [Ingredient]
    var buildOrder: MetaBuild?
    var collection: MetaNumber?
    @Relationship(inverse: \Garnish.cocktails) var garnish: [Garnish]
    init(name: String) { cocktailName = name }
  }

  @Model final class CocktailImage {
    var glassBackLayer: String
    var innerRim: String
    var drinkColor: MetaColor
    var drinkLayer: String
    var glassReflection: String
    var garnishes: [String]?
    var straw: String?
    var iceLayer: String?
    var backgroundColor: MetaColor
    var inDrinkComponents: [String]?
    init(drinkColor: MetaColor, backgroundColor: MetaColor) {
      self.drinkColor = drinkColor
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
    var unit: MetaName
    init(base: IngredientBase) { ingredientBase = base }
  }

  @Model final class IngredientBase {
    @Attribute(.unique) var name: String
    var info: String?
    var isCustom: Bool
    var category: MetaName
    var prep: MetaPrep?
    var tags: MetaTags?
    init(name: String) { self.name = name }
  }
}
