import CoreDataStore
import Foundation
import SQLite
import TestSupport
import Testing

@testable import SwiftData

/// Any raw value, so that every value of a real store is a value of the type.
struct RealWord: RawRepresentable, Codable, Hashable { var rawValue: String }
struct RealNumber: RawRepresentable, Codable, Hashable { var rawValue: Int }

struct RealAuthor: Codable, Hashable {
  var id: UUID
  var person: String?
  var place: String?
  var year: String?
}

struct RealStep: Codable, Hashable {
  var id: UUID
  var step: Int
  var method: String
}

struct RealBuild: Codable, Hashable { var instructions: [RealStep] }

/// The type's payloads are kept as the JSON says, whatever the case is called.
struct RealLine: Codable, Hashable {
  var name: String
  var ingredientType: [String: [String: String]]
}

struct RealTags: Codable, Hashable {
  var flavors: [String]?
  var profiles: [String]?
  var styles: [String]?
  var booze: [RealLine]?
  var nA: [RealLine]?
}

struct RealPrep: Codable, Hashable {
  var id: UUID
  var prepIngredientName: String
  var prepRecipe: [RealStep]
}

enum RealMeta {
  @Model final class Cocktail {
    @Attribute(.unique) var cocktailName: String
    var favorite: Bool
    var glasswareType: RealWord
    var ice: RealWord?
    var id: UUID
    var collectionName: String
    var author: RealAuthor?
    var compiledTags = RealTags()
    var titleCocktail: Bool?
    var variation: RealWord?
    var variationName: String?
    var isCustomCocktail: Bool
    var notes: String?
    var historicSpec: MetaHistory?
    @Relationship(deleteRule: .cascade) var spec: [Ingredient]
    var buildOrder: RealBuild?
    var collection: RealNumber?
    @Relationship(inverse: \Garnish.cocktails) var garnish: [Garnish]
    init(name: String) { cocktailName = name }
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
    var unit: RealWord
    init(base: IngredientBase) { ingredientBase = base }
  }

  @Model final class IngredientBase {
    var id: UUID
    @Attribute(.unique) var name: String
    var baseCategory: String
    var umbrellaCategory: String
    var specialtyCategory: String
    var info: String?
    var isCustom: Bool
    var prep: RealPrep?
    var tags: RealTags?
    init(name: String) { self.name = name }
  }
}

/// Rows of stores that Apple's SwiftData wrote, value by value, and written back.
@Suite(.enabled(if: Fixtures.areAvailable, "needs ../shared/fixtures"))
struct ValueRealStoreTests {
  private typealias Row = [String: StoreValue]

  private func rows(_ table: String, in url: URL) throws -> [Int64: Row] {
    let connection = try Connection(path: url.path, mode: .readWrite)
    defer { connection.close() }
    let statement = try connection.prepare("SELECT * FROM \(table)")
    var rows: [Int64: Row] = [:]
    while try statement.step() {
      var reader = RowReader(statement, startingAt: 0)
      var row: Row = [:]
      for index in 0..<statement.columnCount { row[statement.columnName(index)] = reader.value() }
      if case .integer(let key)? = row["Z_PK"] { rows[key] = row }
    }
    return rows
  }

  private func key(_ object: any PersistentModel) -> Int64 { object._$state.key }

  /// What a value says: JSON read, all else as it is.
  private func meaning(_ value: StoreValue?) -> NSObject {
    guard case .blob(let data)? = value, data.count != 16,
      let json = try? JSONSerialization.jsonObject(with: data) as? NSObject
    else { return "\(value ?? .null)" as NSString }
    return json
  }

  private func expectSameMeaning(_ before: [Int64: Row], _ after: [Int64: Row]) {
    #expect(before.keys.sorted() == after.keys.sorted())
    for (key, row) in before {
      for (column, value) in row where column != "Z_OPT" {
        let other = after[key]?[column]
        if value != other { #expect(meaning(value) == meaning(other), "\(column) of \(key)") }
      }
    }
  }

  private func json<Value: Decodable>(_ type: Value.Type, _ value: StoreValue?) throws -> Value? {
    guard case .blob(let data)? = value else { return nil }
    return try JSONDecoder().decode(type, from: data)
  }

  @Test func `CD-2.4 CD-5 Structures, enumerations and JSON of MetaCocktails are read and written back as they were`()
    throws
  {
    let copy = try Fixtures.copyOfStore("MatthewHunt84__MetaCocktailsSwiftData__histf1fca61_default.store")
    let container = try ModelContainer(for: RealMeta.Cocktail.self, configurations: ModelConfiguration(url: copy.url))
    let context = ModelContext(container)
    let cocktails = try context.fetch(FetchDescriptor<RealMeta.Cocktail>())
    let bases = try context.fetch(FetchDescriptor<RealMeta.IngredientBase>())
    let ingredients = try context.fetch(FetchDescriptor<RealMeta.Ingredient>())
    let before = (try rows("ZCOCKTAIL", in: copy.url), try rows("ZINGREDIENTBASE", in: copy.url))
    #expect(cocktails.count == before.0.count && cocktails.count > 400)
    for cocktail in cocktails {
      let row = try #require(before.0[key(cocktail)])
      #expect(row["ZCOCKTAILNAME"] == .text(cocktail.cocktailName))
      #expect(row["ZGLASSWARETYPE"] == .text(cocktail.glasswareType.rawValue))
      #expect(row["ZICE"] == cocktail.ice.map { .text($0.rawValue) } ?? .null)
      #expect(row["ZVARIATION"] == cocktail.variation.map { .text($0.rawValue) } ?? .null)
      #expect(row["ZCOLLECTION"] == cocktail.collection.map { .integer(Int64($0.rawValue)) } ?? .null)
      #expect(row["ZTITLECOCKTAIL"] == cocktail.titleCocktail.map { .integer($0 ? 1 : 0) } ?? .null)
      #expect(row["ZID1"] == cocktail.id._columnConstant.value)
      #expect(row["ZID"] == cocktail.author?.id._columnConstant.value ?? .null)
      #expect(row["ZPERSON"] == cocktail.author?.person.map { .text($0) } ?? .null)
      #expect(row["ZPLACE"] == cocktail.author?.place.map { .text($0) } ?? .null)
      #expect(row["ZYEAR"] == cocktail.author?.year.map { .text($0) } ?? .null)
      #expect(try json([String].self, row["ZFLAVORS"]) == cocktail.compiledTags.flavors)
      #expect(try json([String].self, row["ZPROFILES"]) == cocktail.compiledTags.profiles)
      #expect(try json([RealLine].self, row["ZBOOZE"]) == cocktail.compiledTags.booze)
      #expect(try json([RealLine].self, row["ZNA"]) == cocktail.compiledTags.nA)
      #expect(try json([RealStep].self, row["ZINSTRUCTIONS"]) == cocktail.buildOrder?.instructions)
      for history in MetaHistory.allCases {
        let expected: StoreValue = cocktail.historicSpec == history ? .text("\(history)") : .null
        #expect(row["Z\(history)".uppercased()] == expected)
      }
    }
    #expect(cocktails.contains { $0.historicSpec != nil } && cocktails.contains { $0.buildOrder != nil })
    for base in bases {
      let row = try #require(before.1[key(base)])
      #expect(try json([RealStep].self, row["ZPREPRECIPE"]) == base.prep?.prepRecipe)
      #expect(row["ZPREPINGREDIENTNAME"] == base.prep.map { .text($0.prepIngredientName) } ?? .null)
    }
    #expect(ingredients.allSatisfy { !$0.unit.rawValue.isEmpty || $0.value >= 0 })

    for cocktail in cocktails {
      (cocktail.author, cocktail.compiledTags) = (cocktail.author, cocktail.compiledTags)
      (cocktail.buildOrder, cocktail.historicSpec) = (cocktail.buildOrder, cocktail.historicSpec)
      (cocktail.ice, cocktail.collection) = (cocktail.ice, cocktail.collection)
    }
    for base in bases { (base.prep, base.tags) = (base.prep, base.tags) }
    try context.save()
    expectSameMeaning(before.0, try rows("ZCOCKTAIL", in: copy.url))
    expectSameMeaning(before.1, try rows("ZINGREDIENTBASE", in: copy.url))
    let report = try Oracle.checkStore(copy.url)
    #expect(report.status == 0, "\(report.output)")
  }

  @Test func `CD-5 myhome: a decimal, dates and a UUID keep their bits`() throws {
    let copy = try Fixtures.copyOfStore("nobelnrj__myhome__MyHomeV1Seed.store")
    let before = try rows("ZEXPENSE", in: copy.url)
    let context = ModelContext(
      try ModelContainer(for: MyHome.Expense.self, configurations: ModelConfiguration(url: copy.url)))
    let expense = try #require(try context.fetch(FetchDescriptor<MyHome.Expense>()).first)
    #expect(expense.amount == 100 && expense.currencyCode == "INR")
    #expect(expense.id.uuidString == "1C940251-ABBB-49B6-BA41-40B334AC35FC")
    #expect(expense.createdAt.timeIntervalSinceReferenceDate == 801_744_174.448288)
    (expense.amount, expense.id, expense.createdAt) = (expense.amount, expense.id, expense.createdAt)
    (expense.date, expense.updatedAt) = (expense.date, expense.updatedAt)
    try context.save()
    let after = try rows("ZEXPENSE", in: copy.url)
    for (column, value) in before[1] ?? [:] where column != "Z_OPT" { #expect(after[1]?[column] == value) }
  }

  @Test func `CD-5 ResourcesManager: numbers, texts and UUIDs keep their bits`() throws {
    let copy = try Fixtures.copyOfStore("sergd2005__ResourcesManager__histbc3d34e_default.store")
    let before = (try rows("ZITEM", in: copy.url), try rows("ZCOMPONENT", in: copy.url))
    let context = ModelContext(
      try ModelContainer(for: Resources.Item.self, configurations: ModelConfiguration(url: copy.url)))
    let items = try context.fetch(FetchDescriptor<Resources.Item>())
    #expect(Set(items.map(\.name)) == ["Stone Axe", "Stone", "Rope", "Shot Wooden Stick"])
    for item in items { item.name = item.name }
    for component in try context.fetch(FetchDescriptor<Resources.Component>()) {
      #expect(component.count == 2 && component.id.uuidString == "C8AD661E-8B9C-40E8-B736-6BF3C3A7DB3B")
      (component.count, component.id) = (component.count, component.id)
    }
    try context.save()
    for (old, new) in [(before.0, try rows("ZITEM", in: copy.url)), (before.1, try rows("ZCOMPONENT", in: copy.url))] {
      for (key, row) in old {
        for (column, value) in row where column != "Z_OPT" { #expect(new[key]?[column] == value) }
      }
    }
  }
}
