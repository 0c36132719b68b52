// Begun by generate-models from Estate.xcdatamodeld and never written again: this file is yours to edit.

import Foundation
import SwiftData

extension EstateMigrationPlan {
  /// From ``EstateSchemaV1`` to ``EstateSchemaV2``, as the mapping model “Estate1to2” says.
  ///
  /// The stage keeps rows and values that correspond by name. Values that an expression of the mapping model needs are
  /// read before the stage and set after it.
  static var migrateV1toV2: MigrationStage {
    var partyToPartyRows: [PartyToPartyRow] = []
    var companyToCompanyRows: [CompanyToCompanyRow] = []
    var personToPersonRows: [PersonToPersonRow] = []
    var houseToHouseRows: [HouseToHouseRow] = []
    var roomToRoomRows: [RoomToRoomRow] = []
    var townToTownRows: [TownToTownRow] = []
    var countryToCountryRows: [CountryToCountryRow] = []
    var ledgerToLedgerRows: [LedgerToLedgerRow] = []
    return .custom(
      fromVersion: EstateSchemaV1.self,
      toVersion: EstateSchemaV2.self,
      willMigrate: { context in
        partyToPartyRows = try context.fetch(
          FetchDescriptor<EstateSchemaV1.Party>(predicate: #Predicate { $0.score > 0 })
        )
        .filter { type(of: $0) == EstateSchemaV1.Party.self }
        .map(PartyToPartyRow.init)
        companyToCompanyRows = try context.fetch(FetchDescriptor<EstateSchemaV1.Company>())
          .map(CompanyToCompanyRow.init)
        personToPersonRows = try context.fetch(FetchDescriptor<EstateSchemaV1.Person>())
          .map(PersonToPersonRow.init)
        houseToHouseRows = try context.fetch(
          FetchDescriptor<EstateSchemaV1.House>(predicate: #Predicate { $0.floors > 0 })
        )
        .map(HouseToHouseRow.init)
        roomToRoomRows = try context.fetch(
          FetchDescriptor<EstateSchemaV1.Room>(predicate: #Predicate { $0.house.floors > 0 })
        )
        .map(RoomToRoomRow.init)
        townToTownRows = try context.fetch(FetchDescriptor<EstateSchemaV1.Town>())
          .map(TownToTownRow.init)
        countryToCountryRows = try context.fetch(FetchDescriptor<EstateSchemaV1.Country>())
          .map(CountryToCountryRow.init)
        ledgerToLedgerRows = try context.fetch(FetchDescriptor<EstateSchemaV1.Ledger>())
          .map(LedgerToLedgerRow.init)
      },
      didMigrate: { context in
        // No entity mapping takes the rows of EstateSchemaV2.Relic: they stay behind.
        for object in try context.fetch(FetchDescriptor<EstateSchemaV2.Relic>()) {
          object.owner = nil
          context.delete(object)
        }
        // The entity mapping “PartyToParty”.
        let partyToPartyTaken = Set(partyToPartyRows.map(\.persistentModelID))
        var partyToParty: [PersistentIdentifier: EstateSchemaV2.Party] = [:]
        for object in try context.fetch(FetchDescriptor<EstateSchemaV2.Party>()) {
          guard type(of: object) == EstateSchemaV2.Party.self else { continue }
          if partyToPartyTaken.contains(object.persistentModelID) {
            partyToParty[object.persistentModelID] = object
            continue
          }
          context.delete(object)
        }
        // The entity mapping “CompanyToCompany”.
        let companyToCompany = Dictionary(
          uniqueKeysWithValues: try context.fetch(FetchDescriptor<EstateSchemaV2.Company>())
            .map { ($0.persistentModelID, $0) })
        // The entity mapping “PersonToPerson”.
        let personToPerson = Dictionary(
          uniqueKeysWithValues: try context.fetch(FetchDescriptor<EstateSchemaV2.Person>())
            .map { ($0.persistentModelID, $0) })
        // The entity mapping “HouseToHouse”.
        let houseToHouseTaken = Set(houseToHouseRows.map(\.persistentModelID))
        var houseToHouse: [PersistentIdentifier: EstateSchemaV2.House] = [:]
        for object in try context.fetch(FetchDescriptor<EstateSchemaV2.House>()) {
          if houseToHouseTaken.contains(object.persistentModelID) {
            houseToHouse[object.persistentModelID] = object
            continue
          }
          object.guardian = nil
          object.residents = []
          object.rooms = []
          context.delete(object)
        }
        // The entity mapping “RoomToRoom”.
        let roomToRoomTaken = Set(roomToRoomRows.map(\.persistentModelID))
        var roomToRoom: [PersistentIdentifier: EstateSchemaV2.Room] = [:]
        for object in try context.fetch(FetchDescriptor<EstateSchemaV2.Room>()) {
          if roomToRoomTaken.contains(object.persistentModelID) {
            roomToRoom[object.persistentModelID] = object
            continue
          }
          context.delete(object)
        }
        // The entity mapping “TownToTown”.
        let townToTown = Dictionary(
          uniqueKeysWithValues: try context.fetch(FetchDescriptor<EstateSchemaV2.Town>())
            .map { ($0.persistentModelID, $0) })
        // The entity mapping “CountryToCountry”.
        let countryToCountry = Dictionary(
          uniqueKeysWithValues: try context.fetch(FetchDescriptor<EstateSchemaV2.Country>())
            .map { ($0.persistentModelID, $0) })
        // The entity mapping “LedgerToLedger”.
        let ledgerToLedger = Dictionary(
          uniqueKeysWithValues: try context.fetch(FetchDescriptor<EstateSchemaV2.Ledger>())
            .map { ($0.persistentModelID, $0) })
        for row in houseToHouseRows {
          guard let object = houseToHouse[row.persistentModelID] else { continue }
          object.town = nil
        }
        for row in townToTownRows {
          guard let object = townToTown[row.persistentModelID] else { continue }
          object.houses = []
        }
        for row in partyToPartyRows {
          guard let object = partyToParty[row.persistentModelID] else { continue }
          object.name = row.name.uppercased()
          object.rate = try converted(row.rate, for: "Party.rate") { $0.isFinite ? Decimal(Double($0)) : nil }
        }
        for row in companyToCompanyRows {
          guard let object = companyToCompany[row.persistentModelID] else { continue }
          object.rate = 0
        }
        for row in personToPersonRows {
          guard let object = personToPerson[row.persistentModelID] else { continue }
          object.nation = row.homeTownCountryName
          object.neighbours =
            try row.homeResidentsCount.map({ try converted($0, for: "Person.neighbours") { Int32(exactly: $0) } })
          object.rate = try converted(row.rate, for: "Person.rate") {
            $0.isFinite ? Decimal(Double($0)) : nil
          }
        }
        for row in houseToHouseRows {
          guard let object = houseToHouse[row.persistentModelID] else { continue }
          object.floors = 1
        }
        for row in roomToRoomRows {
          guard let object = roomToRoom[row.persistentModelID] else { continue }
          object.volume = row.height.map({ (row.area * $0) })
        }
        for row in countryToCountryRows {
          guard let object = countryToCountry[row.persistentModelID] else { continue }
          object.ruler = nil
        }
        for row in ledgerToLedgerRows {
          guard let object = ledgerToLedger[row.persistentModelID] else { continue }
          object.twice = try converted(computed(Int64(row.count), "*", 2, for: "Ledger.twice"), for: "Ledger.twice") {
            Int32(exactly: $0)
          }
          object.half = try quotient(Double(row.ratio), 2, for: "Ledger.half")
          object.rate = try converted(row.ratio, for: "Ledger.rate") {
            $0.isFinite ? Decimal(Double($0)) : nil
          }
          object.share =
            try row.extra.map({ Int64($0) }).map({ try computed(Int64(row.count), "/", $0, for: "Ledger.share") }).map({
              try converted($0, for: "Ledger.share") { Double(exactly: $0) }
            })
          object.stamp = row.day.map({ $0.timeIntervalSinceReferenceDate })
          object.sum =
            try row.extra.map({ Int64($0) }).map({ try computed(Int64(row.count), "+", $0, for: "Ledger.sum") })
          object.flag = row.flag ? 1 : 0
          object.label = try required(row.`class`, for: "Ledger.label")
        }
        try context.save()
      }
    )
  }

  /// A row of ``EstateSchemaV1.Party`` before the stage.
  private struct PartyToPartyRow {
    let persistentModelID: PersistentIdentifier
    let name: String
    let rate: Float

    init(_ object: EstateSchemaV1.Party) {
      persistentModelID = object.persistentModelID
      name = object.name
      rate = object.rate
    }
  }

  /// A row of ``EstateSchemaV1.Company`` before the stage.
  private struct CompanyToCompanyRow {
    let persistentModelID: PersistentIdentifier

    init(_ object: EstateSchemaV1.Company) {
      persistentModelID = object.persistentModelID
    }
  }

  /// A row of ``EstateSchemaV1.Person`` before the stage.
  private struct PersonToPersonRow {
    let persistentModelID: PersistentIdentifier
    let homeTownCountryName: String?
    let homeResidentsCount: Int?
    let rate: Float

    init(_ object: EstateSchemaV1.Person) {
      persistentModelID = object.persistentModelID
      homeTownCountryName = object.home?.town?.country.name
      homeResidentsCount = object.home.map { $0.residents?.count ?? 0 }
      rate = object.rate
    }
  }

  /// A row of ``EstateSchemaV1.House`` before the stage.
  private struct HouseToHouseRow {
    let persistentModelID: PersistentIdentifier

    init(_ object: EstateSchemaV1.House) {
      persistentModelID = object.persistentModelID
    }
  }

  /// A row of ``EstateSchemaV1.Room`` before the stage.
  private struct RoomToRoomRow {
    let persistentModelID: PersistentIdentifier
    let area: Double
    let height: Double?

    init(_ object: EstateSchemaV1.Room) {
      persistentModelID = object.persistentModelID
      area = object.area
      height = object.height
    }
  }

  /// A row of ``EstateSchemaV1.Town`` before the stage.
  private struct TownToTownRow {
    let persistentModelID: PersistentIdentifier

    init(_ object: EstateSchemaV1.Town) {
      persistentModelID = object.persistentModelID
    }
  }

  /// A row of ``EstateSchemaV1.Country`` before the stage.
  private struct CountryToCountryRow {
    let persistentModelID: PersistentIdentifier

    init(_ object: EstateSchemaV1.Country) {
      persistentModelID = object.persistentModelID
    }
  }

  /// A row of ``EstateSchemaV1.Ledger`` before the stage.
  private struct LedgerToLedgerRow {
    let persistentModelID: PersistentIdentifier
    let count: Int32
    let ratio: Float
    let extra: Int16?
    let day: Date?
    let flag: Bool
    let `class`: String?

    init(_ object: EstateSchemaV1.Ledger) {
      persistentModelID = object.persistentModelID
      count = object.count
      ratio = object.ratio
      extra = object.extra
      day = object.day
      flag = object.flag
      `class` = object.`class`
    }
  }

  /// Computes with integers, and fails if there is no result. A quotient is cut towards zero.
  private static func computed(
    _ left: Int64, _ symbol: Character, _ right: Int64, for property: String
  ) throws -> Int64 {
    let (result, isMissing) =
      switch symbol {
      case "+": left.addingReportingOverflow(right)
      case "-": left.subtractingReportingOverflow(right)
      case "/": left.dividedReportingOverflow(by: right)
      default: left.multipliedReportingOverflow(by: right)
      }
    if isMissing { throw Unfit(description: "\(property) cannot hold \(left) \(symbol) \(right).") }
    return result
  }

  /// Divides numbers, and fails if there is no result.
  private static func quotient(_ left: Double, _ right: Double, for property: String) throws -> Double {
    let result = left / right
    guard result.isFinite else { throw Unfit(description: "\(property) cannot hold \(left) / \(right).") }
    return result
  }

  /// Converts a value, and fails if the new type cannot hold it.
  private static func converted<Old, New>(
    _ value: Old, for property: String, _ convert: (Old) -> New?
  ) throws -> New {
    guard let result = convert(value) else {
      throw Unfit(description: "\(property) cannot hold \(value).")
    }
    return result
  }

  /// Unwraps a value, and fails if there is none.
  private static func required<Value>(_ value: Value?, for property: String) throws -> Value {
    guard let value else {
      throw Unfit(description: "\(property) requires a value, and a row has none.")
    }
    return value
  }

  /// A value that a property cannot have.
  private struct Unfit: Error, CustomStringConvertible {
    let description: String
  }
}
