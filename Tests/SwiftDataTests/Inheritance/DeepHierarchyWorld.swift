import Foundation
import SwiftData
import TestSupport
import Testing

/// A store with objects of every class of ``DeepHierarchy``, linked at every level, and the same objects in memory.
final class DeepHierarchyWorld {
  typealias Models = DeepHierarchy
  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext
  let assets: [Models.Asset]
  let people: [Models.Person]
  /// Contexts that the tests' objects belong to.
  private var readers: [ModelContext] = []

  /// Makes as many objects of each class, and saves them.
  /// - Parameter random: decides the values and links; without it, an object's position decides them.
  init(objectsPerClass count: Int = 3, random: SplitMix? = nil) throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Models.schema, store)
    context = ModelContext(container)
    assets = (0..<count).flatMap { round in
      Models.makers.enumerated().map { number, make in
        let asset = make("")
        asset.name = "\(type(of: asset)) \(round)"
        (asset as? Models.Vehicle)?.plate = "\(round)-\(number)"
        return asset
      }
    }
    people = (0..<8).map { Models.Person("Person \($0)") }
    link(random)
    assets.forEach { context.insert($0) }
    people.forEach { context.insert($0) }
    try context.save()
  }

  /// Gives every object values and links.
  private func link(_ random: SplitMix?) {
    var random = random
    typealias Asset = Models.Asset
    func all<Model>(_ type: Model.Type) -> [Model] { assets.compactMap { $0 as? Model } }
    let (buildings, houses) = (all(Models.Building.self), all(Models.House.self))
    let (ferries, vans) = (all(Models.Ferry.self), all(Models.Van.self))
    for (position, asset) in assets.enumerated() {
      let number = random?.below(1000) ?? position
      func some<Model>(_ list: [Model], _ step: Int) -> Model? {
        number % 4 == 3 || list.isEmpty ? nil : list[number * step % list.count]
      }
      func several<Model>(_ list: [Model], _ step: Int) -> [Model] {
        list.enumerated().filter { ($0.offset * step + number) % 3 == 0 }.map(\.element)
      }
      asset.value = number * 7 % 50
      asset.remarks = (0..<(number % 3)).map { Models.Remark("Remark \(position) \($0)") }
      asset.successor = some(assets, 5)
      switch asset {
      case let vehicle as Models.Vehicle:
        vehicle.seats = number % 5 == 0 ? nil : number % 5
        vehicle.drivers = several(people, 1)
        vehicle.garage = some(buildings, 3)
        if !(vehicle is Models.Ferry) { vehicle.ferry = some(ferries, 2) }
      case let building as Models.Building: building.floors = number % 6
      case let document as Models.Document:
        document.isSigned = number % 2 == 0
        document.signers = several(people, 2)
      default: break
      }
      switch asset {
      case let car as Models.Car:
        car.doors = number % 3 == 0 ? nil : number % 2 + 1
        car.owner = some(people, 3)
      case let truck as Models.Truck:
        truck.load = Double(number) / 4
        truck.trailer = number % 2 == 0 ? Models.Trailer("Trailer \(position)") : nil
      case let boat as Models.Boat: boat.draught = number % 4 == 0 ? nil : Double(number)
      case let house as Models.House: house.rooms = (0..<(number % 3)).map { Models.Room("Room \(position) \($0)") }
      case let office as Models.Office: office.desks = number
      case let deed as Models.Deed:
        deed.signed = number % 3 == 0 ? nil : Date(timeIntervalSinceReferenceDate: 1)
        // A deed denies the deletion of its asset.
        if random != nil { deed.asset = some(assets, 7) }
      case let report as Models.Report:
        report.pages = number
        report.subject = some(buildings, 5)
      default: break
      }
      switch asset {
      case let sedan as Models.Sedan:
        sedan.trim = number % 2 == 0 ? "Trim \(number)" : nil
        sedan.home = some(houses, 3)
      case let van as Models.Van:
        van.volume = Double(number)
        van.fleet = vans.filter { $0 !== van && $0.name < van.name }
      case let tanker as Models.Tanker: tanker.depot = some(buildings, 1)
      case let lorry as Models.Lorry: lorry.parcels = [Models.Parcel("Lorry's \(number)")]
      case let ferry as Models.Ferry: ferry.route = "Route \(number % 3)"
      case let villa as Models.Villa: villa.resident = number % 2 == 0 ? people[number % people.count] : nil
      case let flat as Models.Flat: flat.tenants = several(people, 1)
      case let lease as Models.Lease: lease.lessees = several(people, 2)
      case let sale as Models.Sale: sale.buyer = some(people, 1)
      default: break
      }
      switch asset {
      case let taxi as Models.Taxi: taxi.lost = [Models.Parcel("Taxi's \(number)")]
      case let limousine as Models.Limousine: limousine.chauffeur = some(people, 5)
      case let camper as Models.Camper: camper.cabins = [Models.Room("Cabin \(number)")]
      case let ferry as Models.CarFerry: ferry.lanes = number % 2 == 0 ? nil : number
      case let ferry as Models.RiverFerry: ferry.piers = several(buildings, 2)
      case let penthouse as Models.Penthouse: penthouse.terraces = [Models.Room("Terrace \(number)")]
      default: break
      }
    }
    for (number, person) in people.enumerated() {
      person.boat = all(Models.Boat.self)[number % all(Models.Boat.self).count]
      if number % 2 == 0 { person.office = all(Models.Office.self).last }
    }
  }

  /// A context that has read nothing yet; the world holds it, so that its objects keep their context.
  var fresh: ModelContext {
    let context = ModelContext(container)
    readers.append(context)
    return context
  }

  func names<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [String] {
    try fresh.fetch(descriptor).compactMap { ($0 as? Models.Asset)?.name }.sorted()
  }

  /// Asserts that the store agrees with the independent checker.
  func check() throws {
    guard Fixtures.areAvailable, TestEngine.current == .file else { return }
    try Oracle.expectSound(store.url, fresh: true)
  }

  /// Every value and link of an object, as text.
  static func sketch(_ asset: Models.Asset) -> String {
    func list(_ models: [any PersistentModel]) -> String { models.map(Self.name).sorted().joined(separator: ", ") }
    func one(_ model: (any PersistentModel)?) -> String { model.map(Self.name) ?? "nil" }
    var parts = ["\(type(of: asset)) \(asset.name) \(asset.value)", list(asset.remarks), one(asset.successor)]
    parts += [list(asset.predecessors), list(asset.deeds)]
    if let vehicle = asset as? Models.Vehicle {
      parts += [
        vehicle.plate, "\(vehicle.seats ?? -1)", list(vehicle.drivers), one(vehicle.garage), one(vehicle.ferry),
      ]
    }
    if let building = asset as? Models.Building { parts += ["\(building.floors)", list(building.parked)] }
    if let document = asset as? Models.Document { parts += ["\(document.isSigned)", list(document.signers)] }
    if let car = asset as? Models.Car { parts += ["\(car.doors ?? -1)", one(car.owner)] }
    if let truck = asset as? Models.Truck { parts += ["\(truck.load)", one(truck.trailer)] }
    if let boat = asset as? Models.Boat { parts += ["\(boat.draught ?? -1)", list(boat.crew)] }
    if let house = asset as? Models.House { parts += [list(house.rooms)] }
    if let office = asset as? Models.Office { parts += ["\(office.desks)", list(office.staff)] }
    if let deed = asset as? Models.Deed {
      parts += ["\(deed.signed?.timeIntervalSinceReferenceDate ?? -1)", one(deed.asset)]
    }
    if let report = asset as? Models.Report { parts += ["\(report.pages)", one(report.subject)] }
    if let sedan = asset as? Models.Sedan { parts += [sedan.trim ?? "nil", one(sedan.home)] }
    if let van = asset as? Models.Van { parts += ["\(van.volume)", list(van.fleet)] }
    if let tanker = asset as? Models.Tanker { parts += [tanker.liquid ?? "nil", one(tanker.depot)] }
    if let lorry = asset as? Models.Lorry { parts += ["\(lorry.axles)", list(lorry.parcels)] }
    if let ferry = asset as? Models.Ferry { parts += [ferry.route ?? "nil", list(ferry.carried)] }
    if let villa = asset as? Models.Villa { parts += ["\(villa.pools)", one(villa.resident)] }
    if let flat = asset as? Models.Flat { parts += ["\(flat.floor)", list(flat.tenants)] }
    if let lease = asset as? Models.Lease { parts += ["\(lease.rent)", list(lease.lessees)] }
    if let sale = asset as? Models.Sale { parts += ["\(sale.price ?? -1)", one(sale.buyer)] }
    if let taxi = asset as? Models.Taxi { parts += ["\(taxi.licence ?? -1)", list(taxi.lost)] }
    if let limousine = asset as? Models.Limousine { parts += ["\(limousine.length)", one(limousine.chauffeur)] }
    if let camper = asset as? Models.Camper { parts += ["\(camper.beds)", list(camper.cabins)] }
    if let ferry = asset as? Models.CarFerry { parts += ["\(ferry.lanes ?? -1)", list(ferry.freight)] }
    if let ferry = asset as? Models.RiverFerry { parts += [ferry.river, list(ferry.piers)] }
    if let penthouse = asset as? Models.Penthouse { parts += [penthouse.view ?? "nil", list(penthouse.terraces)] }
    return parts.joined(separator: " | ")
  }

  private static func name(_ model: any PersistentModel) -> String {
    switch model {
    case let asset as Models.Asset: asset.name
    case let remark as Models.Remark: remark.text
    case let person as Models.Person: person.name
    case let trailer as Models.Trailer: trailer.name
    case let room as Models.Room: room.name
    case let parcel as Models.Parcel: parcel.name
    default: "?"
    }
  }
}
