import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("A hierarchy of 26 classes in five levels", .everyEngine)
struct DeepHierarchyTests {
  typealias Models = DeepHierarchy
  typealias Asset = Models.Asset
  typealias Person = Models.Person

  @Test("The schema has every class below its superclass")
  func schema() throws {
    #expect(Models.classes.count == 26)
    for (level, types) in Models.levels.enumerated() {
      for type in types {
        var entity = Models.schema.entitiesByName["\(type)"]
        var depth = -1
        while let current = entity {
          depth += 1
          entity = current.superentity
        }
        #expect(depth == level, "\(type)")
      }
    }
  }

  @Test("A fetch of each class gives its objects and those of the classes below, with every value and link")
  func fetches() throws {
    let world = try DeepHierarchyWorld()
    let expected = world.assets.map(DeepHierarchyWorld.sketch).sorted()
    #expect(try world.fresh.fetch(FetchDescriptor<Asset>()).map(DeepHierarchyWorld.sketch).sorted() == expected)
    func check<Model: PersistentModel>(_ type: Model.Type) throws {
      let wanted = world.assets.filter { $0 is Model }
      let context = world.fresh
      let found = try context.fetch(FetchDescriptor<Model>()).compactMap { $0 as? Asset }
      #expect(
        found.map(DeepHierarchyWorld.sketch).sorted() == wanted.map(DeepHierarchyWorld.sketch).sorted(), "\(type)")
      #expect(try context.fetchCount(FetchDescriptor<Model>()) == wanted.count, "\(type)")
      let identifiers = try context.fetchIdentifiers(FetchDescriptor<Model>())
      #expect(Set(identifiers) == Set(wanted.map(\.persistentModelID)), "\(type)")
      var enumerated: [String] = []
      try world.fresh.enumerate(FetchDescriptor<Model>(), batchSize: 4) { model in
        enumerated.append((model as? Asset)?.name ?? "")
      }
      #expect(enumerated.sorted() == wanted.map(\.name).sorted(), "\(type)")
    }
    for type in Models.classes { try check(type) }
    try world.check()
  }

  @Test("Each level sorts and filters by the properties of the levels above")
  func inheritedProperties() throws {
    let world = try DeepHierarchyWorld()
    let taxis = try world.fresh.fetch(
      FetchDescriptor<Models.Taxi>(
        predicate: #Predicate { $0.trim != nil && $0.value >= 0 && $0.plate.contains("-") },
        sortBy: [SortDescriptor(\.value, order: .reverse)]))
    let wanted = world.assets.compactMap { $0 as? Models.Taxi }.filter { $0.trim != nil }.sorted { $0.value > $1.value }
    #expect(taxis.map(\.name) == wanted.map(\.name) && !taxis.isEmpty)
    let owned = try world.fresh.fetch(
      FetchDescriptor<Models.Camper>(
        predicate: #Predicate { $0.owner?.name != nil },
        sortBy: [SortDescriptor(\.owner?.name), SortDescriptor(\.name)]))
    let owners = world.assets.compactMap { $0 as? Models.Camper }.filter { $0.owner != nil }
    #expect(owned.compactMap(\.owner?.name) == owners.compactMap(\.owner?.name).sorted() && !owned.isEmpty)
  }

  @Test("`is` asks for each class, of the object, of a relationship to the base and of members")
  func typeChecks() throws {
    let world = try DeepHierarchyWorld(objectsPerClass: 1)
    func check<Model: PersistentModel>(_ type: Model.Type) throws {
      func compare(_ predicate: Predicate<Asset>, _ wanted: (Asset) -> Bool, _ place: SourceLocation = #_sourceLocation)
        throws
      {
        #expect(
          try world.names(FetchDescriptor(predicate: predicate)) == world.assets.filter(wanted).map(\.name).sorted(),
          "\(type)", sourceLocation: place)
      }
      try compare(#Predicate { $0 is Model }, { $0 is Model })
      try compare(#Predicate { !($0 is Model) }, { !($0 is Model) })
      try compare(#Predicate { $0.successor is Model }, { $0.successor is Model })
      try compare(#Predicate { $0.predecessors.contains { $0 is Model } }, { $0.predecessors.contains { $0 is Model } })
      let drivers = FetchDescriptor<Person>(predicate: #Predicate { $0.vehicles.contains { $0 is Model } })
      #expect(
        try world.fresh.fetch(drivers).map(\.name).sorted()
          == world.people.filter { $0.vehicles.contains { $0 is Model } }.map(\.name).sorted(), "\(type)")
      let remarks = FetchDescriptor<Models.Remark>(predicate: #Predicate { $0.asset is Model })
      #expect(
        try world.fresh.fetch(remarks).map(\.text).sorted()
          == world.assets.filter { $0 is Model }.flatMap(\.remarks).map(\.text).sorted(), "\(type)")
    }
    for type in Models.classes { try check(type) }
  }

  @Test("`as?` reaches the properties and relationships of every level")
  func casts() throws {
    let world = try DeepHierarchyWorld()
    func compare(_ predicate: Predicate<Asset>, _ wanted: (Asset) -> Bool, _ place: SourceLocation = #_sourceLocation)
      throws
    {
      let expected = world.assets.filter(wanted).map(\.name).sorted()
      #expect(try world.names(FetchDescriptor(predicate: predicate)) == expected, sourceLocation: place)
      #expect(!expected.isEmpty && expected.count < world.assets.count, sourceLocation: place)
    }
    typealias M = Models
    try compare(#Predicate { ($0 as? M.Vehicle)?.seats == 2 }, { ($0 as? M.Vehicle)?.seats == 2 })
    try compare(#Predicate { ($0 as? M.Vehicle)?.seats == nil }, { ($0 as? M.Vehicle)?.seats == nil })
    try compare(#Predicate { ($0 as? M.Car)?.doors == 2 }, { ($0 as? M.Car)?.doors == 2 })
    try compare(#Predicate { ($0 as? M.Sedan)?.trim != nil }, { ($0 as? M.Sedan)?.trim != nil })
    try compare(#Predicate { ($0 as? M.CarFerry)?.lanes != nil }, { ($0 as? M.CarFerry)?.lanes != nil })
    try compare(
      #Predicate { if let flat = $0 as? M.Flat { flat.tenants.count > 2 } else { false } },
      { ($0 as? M.Flat).map { $0.tenants.count > 2 } ?? false })
    try compare(
      #Predicate { ($0.successor as? M.Building)?.floors == 3 }, { ($0.successor as? M.Building)?.floors == 3 })
    try compare(
      #Predicate { (($0 as? M.Vehicle)?.garage as? M.House)?.rooms.isEmpty == false },
      { (($0 as? M.Vehicle)?.garage as? M.House)?.rooms.isEmpty == false })
    try compare(
      #Predicate { ($0 as? M.Ferry)?.carried.contains { $0 is M.Car } == true },
      { ($0 as? M.Ferry)?.carried.contains { $0 is M.Car } == true })
    try compare(
      #Predicate { ($0 as? M.Vehicle)?.ferry is M.CarFerry }, { ($0 as? M.Vehicle)?.ferry is M.CarFerry })
    try compare(
      #Predicate { ($0 as? M.Taxi)?.lost.contains { $0.name.starts(with: "Taxi") } == true }, { $0 is M.Taxi })
  }

  @Test("Unsaved objects of every class are found at every level, and saved once")
  func unsaved() throws {
    let world = try DeepHierarchyWorld(objectsPerClass: 1)
    let context = world.fresh
    for (number, make) in Models.makers.enumerated() { context.insert(make("New \(number)")) }
    func check<Model: PersistentModel>(_ type: Model.Type) throws {
      let wanted = world.assets.filter { $0 is Model }.count * 2
      #expect(try context.fetch(FetchDescriptor<Model>()).count == wanted, "\(type)")
      #expect(try context.fetchCount(FetchDescriptor<Model>()) == wanted, "\(type)")
    }
    for type in Models.classes { try check(type) }
    try context.save()
    for type in Models.classes { try check(type) }
    try world.check()
  }

  @Test("A class is batch-deleted with the classes below it, or alone")
  func batchDeletion() throws {
    for includesSubclasses in [true, false] {
      let world = try DeepHierarchyWorld(objectsPerClass: 1)
      var rest = world.assets
      func delete<Model: PersistentModel>(_ type: Model.Type) throws {
        try world.context.delete(model: type, includeSubclasses: includesSubclasses)
        try world.context.save()
        rest.removeAll { includesSubclasses ? $0 is Model : Swift.type(of: $0) == type }
        #expect(
          try world.names(FetchDescriptor<Asset>()) == rest.map(\.name).sorted(), "\(type) \(includesSubclasses)")
      }
      for type in [Models.Car.self, Models.Ferry.self, Models.House.self, Models.Document.self]
        as [any PersistentModel.Type]
      {
        try delete(type)
      }
      try world.check()
      try delete(Asset.self)
      try world.check()
    }
  }

  @Test("Delete rules of every level hold for objects of the lowest level")
  func deleteRules() throws {
    let world = try DeepHierarchyWorld()
    let context = world.fresh
    func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
      try world.fresh.fetchCount(FetchDescriptor<Model>())
    }
    // Level 1, 3 and 5: cascade from an object of level 5; level 1 and 2: nullify.
    let penthouse = try #require(try context.fetch(FetchDescriptor<Models.Penthouse>()).first { $0.rooms.count > 0 })
    let (owned, remarks) = (penthouse.rooms.count + penthouse.terraces.count, penthouse.remarks.count)
    let (parked, tenants) = (penthouse.parked, penthouse.tenants)
    let predecessors = penthouse.predecessors
    let before = (try count(Models.Room.self), try count(Models.Remark.self), try count(Person.self))
    context.delete(penthouse)
    try context.save()
    #expect(try count(Models.Room.self) == before.0 - owned && count(Models.Remark.self) == before.1 - remarks)
    #expect(try count(Person.self) == before.2)
    #expect(parked.allSatisfy { $0.garage == nil } && predecessors.allSatisfy { $0.successor == nil })
    #expect(tenants.allSatisfy { person in person.flats.allSatisfy { $0 !== penthouse } })

    // Level 1: deny, by an object of level 4 for an object of level 5.
    let camper = try #require(try context.fetch(FetchDescriptor<Models.Camper>()).first)
    let sale = try #require(try context.fetch(FetchDescriptor<Models.Sale>()).first)
    sale.asset = camper
    try context.save()
    context.delete(camper)
    let denied = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(
      denied?.explanation?.contains("Asset.deeds") == true || denied?.explanation?.contains("Camper.deeds") == true)
    context.delete(sale)
    try context.save()
    #expect(try count(Models.Camper.self) == 2 && count(Models.Sale.self) == 2)

    // Level 5: deny.
    let ferry = try #require(try context.fetch(FetchDescriptor<Models.CarFerry>()).first)
    ferry.freight = [Models.Parcel("Freight")]
    try context.save()
    context.delete(ferry)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.rollback()
    #expect(try count(Models.CarFerry.self) == 3)
    try world.check()
  }

  @Test("Values, links and objects of every level change, and are read again from the file")
  func reopening() throws {
    let world = try DeepHierarchyWorld()
    let context = world.fresh
    let assets = try context.fetch(FetchDescriptor<Asset>(sortBy: [SortDescriptor(\.name)]))
    for (number, asset) in assets.enumerated() {
      asset.value += 100
      asset.successor = assets[(number + 1) % assets.count]
      (asset as? Models.Vehicle)?.drivers.removeAll { $0.name.hasSuffix("1") }
      (asset as? Models.Deed)?.asset = assets[(number * 3) % assets.count]
      (asset as? Models.Camper)?.cabins.append(Models.Room("New \(number)"))
    }
    context.delete(assets[7])
    // A deed leads to some assets, which refuses their deletion.
    if assets[7].deeds.isEmpty { try context.save() } else { context.rollback() }
    let expected = try context.fetch(FetchDescriptor<Asset>()).map(DeepHierarchyWorld.sketch).sorted()
    guard TestEngine.current == .file else {
      #expect(try world.fresh.fetch(FetchDescriptor<Asset>()).map(DeepHierarchyWorld.sketch).sorted() == expected)
      return
    }
    let reopened = ModelContext(try TestEngine.file.container(Models.schema, world.store))
    #expect(try reopened.fetch(FetchDescriptor<Asset>()).map(DeepHierarchyWorld.sketch).sorted() == expected)
    try world.check()
  }

  @Test("A new value of a unique property of level 2 merges objects of the lowest level")
  func upsert() throws {
    let world = try DeepHierarchyWorld()
    let taxi = Models.Taxi("Newcomer")
    taxi.plate = try #require(world.assets.compactMap { $0 as? Models.Taxi }.first).plate
    let context = world.fresh
    context.insert(taxi)
    try context.save()
    #expect(try world.fresh.fetchCount(FetchDescriptor<Asset>()) == world.assets.count)
    #expect(try world.names(FetchDescriptor<Models.Taxi>()).contains("Newcomer"))
    try world.check()
  }
}
