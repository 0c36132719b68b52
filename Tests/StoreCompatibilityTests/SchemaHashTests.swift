import Foundation
import ManagedModel
import Testing

@testable import SwiftData

/// The classes of real SwiftData stores, written from the stores, and the version hashes in these stores.
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

  @Test func `VH-3 VH-6 ResourcesManager: uniqueness, inverses and their absence`() throws {
    #expect(
      try hashes([Resources.Item.self]) == [
        "Item": "683a2c663d51fe60fba4165feb790087bed871d837ba64e81eb1e8836428c2a5",
        "Component": "fc80203a8a339b148fd0b6c3b0e586a260591563cf6780a406e69f18a69f8406",
        "CraftingRecipe": "acc6c82026903fd8bd74a3965988ffb840c0794119ccc9d6b360a0a753104617",
      ])
  }

  @Test func `VH-8 MetaCocktails: structures, enumerations with and without raw values`() throws {
    #expect(
      try hashes([MetaCocktails.Cocktail.self]) == [
        "Cocktail": "78b8be45a61c914cccf034ad2da209e146fce08f2c5906a791c1091761613590",
        "Garnish": "76a9959e90e79ed17b32a980a29e5368b953c5b7e7fd4073cfe063e316d44cc5",
        "Ingredient": "4a3b9f32df42aee19eb186b6ad03ad57c96cd3fb4532671a4063da2002cfc61a",
        "IngredientBase": "a017653989a9a1b642674e178f21d0f983180ef6b26dc16736063535ab22e615",
      ])
  }

  @Test func `VH-8 MetaCocktails before: arrays at entity level, a structure of numbers`() throws {
    #expect(
      try hashes([EarlierCocktails.Cocktail.self]) == [
        "Cocktail": "e3811a6b3af82f1b85b364ff94036ece95986f8422c941f834787002c3bffff5",
        "CocktailImage": "e5242d181d1eb8e5b999d0e19f84b74db5c473219db44416e51022dfab605201",
        "Garnish": "76a9959e90e79ed17b32a980a29e5368b953c5b7e7fd4073cfe063e316d44cc5",
        "Ingredient": "4a3b9f32df42aee19eb186b6ad03ad57c96cd3fb4532671a4063da2002cfc61a",
        "IngredientBase": "b7204663387a5680bdfd9bed01991300dbeccf23d6a9eba4f9902b6341dfac0e",
      ])
  }
}
