import Foundation

// The structures and enumerations in both stores of MetaCocktails, written from the columns and the JSON in them.

struct Author: Codable, Equatable {
  var id: UUID
  var person: String?
  var place: String?
  var year: String?
}

struct Instruction: Codable, Equatable {
  var id: UUID
  var step: Int
  var method: String
}

struct Build: Codable, Equatable { var instructions: [Instruction] }

struct Prep: Codable, Equatable {
  var id: UUID
  var prepIngredientName: String
  var prepRecipe: [Instruction]
}

/// Payloads are stored as `{"rums":{"_0":"…"}}`.
enum IngredientType: Codable, Equatable {
  case agaves(String), amari(String), bitters(String), brandies(String), fortifiedWines(String), fruit(String)
  case gins(String), herbs(String), juices(String), liqueurs(String), otherAlcohol(String), otherNonAlc(String)
  case rums(String), seasoning(String), soda(String), syrups(String), vodkas(String), whiskies(String), wines(String)
}

struct Component: Codable, Equatable {
  var name: String
  var ingredientType: IngredientType
}

struct Tags: Codable, Equatable {
  var flavors: [String]?
  var profiles: [String]?
  var styles: [String]?
  var booze: [Component]?
  var nA: [Component]?
}

struct ResolvedColor: Codable, Equatable {
  var linearRed: Float
  var linearGreen: Float
  var linearBlue: Float
  var opacity: Float
}

enum CocktailCollection: Int, Codable { case first = 1, second, third, fourth, fifth, sixth }

/// A column for each case; the column of the value's case has the case's name.
enum HistoricSpec: Codable, CaseIterable {
  case algonquin, alaska, betweenTheSheets, bloodAndSand, bramble, bobbyBurns, chocolateCocktail, elDiablo, fogCutter
  case ginFizz, gimlet, silverFizz, hotToddy, mexicanFiringSquad, modernCocktail
}

enum Ice: String, Codable {
  case largeCube = "Large cube"
  case pebbleIce = "Pebble ice"
  case koldDraft = "Kold Draft ice"
  case crackedKoldDraft = "Cracked Kold Draft"
  case columnIce = "Column ice"
}

enum EarlierIce: String, Codable {
  case largeCube = "Large Cube"
  case pebbleIce = "Pebble Ice"
  case koldDraft = "Kold Draft Ice"
  case crackedKoldDraft = "Cracked Kold Draft"
  case columnIce = "Column Ice"
  case block = "One large block of ice"
}

enum BaseCategory: String, Codable {
  case agave = "Agave"
  case amari = "Amari"
  case bitters = "Bitters"
  case brandy = "Brandy"
  case fortifiedWine = "Fortified Wine"
  case fruit = "Fruit"
  case gin = "Gin"
  case herbs = "Herbs"
  case juice = "Juice"
  case liqueurs = "Liqueurs"
  case otherAlcohol = "Other Alcohol"
  case otherNonAlcoholic = "Other N/A"
  case rum = "Rum"
  case seasoning = "Seasoning"
  case sodas = "Sodas"
  case syrups = "Syrups"
  case vodka = "Vodka"
  case whiskies = "Whiskies"
  case wine = "Wine"
}

/// A type of many values; the store does not show which values the application declares.
struct Glassware: RawRepresentable, Codable, Equatable { var rawValue: String }
struct Variation: RawRepresentable, Codable, Equatable { var rawValue: String }
struct MeasurementUnit: RawRepresentable, Codable, Equatable { var rawValue: String }
