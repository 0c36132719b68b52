import Foundation
import SwiftData

/// A hierarchy of 26 classes in five levels. Every level has attributes and relationships of its own.
///
///     Asset ─ Vehicle ─ Car ─ Sedan ─ Taxi, Limousine
///           │         │     └ Van ─ Camper
///           │         ├ Truck ─ Tanker, Lorry
///           │         └ Boat ─ Ferry ─ CarFerry, RiverFerry
///           ├ Building ─ House ─ Villa, Flat ─ Penthouse (below Flat)
///           │          └ Office
///           └ Document (abstract) ─ Deed ─ Lease, Sale
///                                 └ Report
enum DeepHierarchy {
  // MARK: Level 1

  @Model class Asset {
    #Index<Asset>([\.name])
    var name: String
    var value: Int = 0
    @Relationship(deleteRule: .cascade, inverse: \Remark.asset) var remarks: [Remark] = []
    /// Leads to the base from the base.
    var successor: Asset?
    @Relationship(inverse: \Asset.successor) var predecessors: [Asset] = []
    /// Leads to level 3 of the same hierarchy.
    @Relationship(deleteRule: .deny, inverse: \Deed.asset) var deeds: [Deed] = []

    init(_ name: String) { self.name = name }
  }

  // MARK: Level 2

  @Model class Vehicle: Asset {
    @Attribute(.unique) var plate: String
    var seats: Int?
    @Relationship(inverse: \Person.vehicles) var drivers: [Person] = []
    var garage: Building?
    var ferry: Ferry?

    override init(_ name: String) {
      plate = "plate of \(name)"
      super.init(name)
    }
  }

  @Model class Building: Asset {
    var floors: Int = 1
    @Relationship(inverse: \Vehicle.garage) var parked: [Vehicle] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model(isAbstract: true) class Document: Asset {
    var isSigned: Bool = false
    @Relationship(.noInverse) var signers: [Person] = []

    override init(_ name: String) { super.init(name) }
  }

  // MARK: Level 3

  @Model class Car: Vehicle {
    var doors: Int?
    @Relationship(inverse: \Person.cars) var owner: Person?

    override init(_ name: String) { super.init(name) }
  }

  @Model class Truck: Vehicle {
    var load: Double = 0
    @Relationship(deleteRule: .cascade, inverse: \Trailer.truck) var trailer: Trailer?

    override init(_ name: String) { super.init(name) }
  }

  @Model class Boat: Vehicle {
    var draught: Double?
    @Relationship(inverse: \Person.boat) var crew: [Person] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model class House: Building {
    @Relationship(deleteRule: .cascade, inverse: \Room.house) var rooms: [Room] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Office: Building {
    var desks: Int = 0
    @Relationship(inverse: \Person.office) var staff: [Person] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model class Deed: Document {
    var signed: Date?
    var asset: Asset?

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Report: Document {
    var pages: Int = 0
    @Relationship(.noInverse) var subject: Building?

    override init(_ name: String) { super.init(name) }
  }

  // MARK: Level 4

  @Model class Sedan: Car {
    var trim: String?
    @Relationship(.noInverse) var home: House?

    override init(_ name: String) { super.init(name) }
  }

  @Model class Van: Car {
    var volume: Double = 0
    /// Its own inverse.
    @Relationship(.selfInverse) var fleet: [Van] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Tanker: Truck {
    var liquid: String?
    @Relationship(.noInverse) var depot: Building?

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Lorry: Truck {
    var axles: Int = 2
    @Relationship(deleteRule: .cascade, inverse: \Parcel.lorry) var parcels: [Parcel] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model class Ferry: Boat {
    var route: String?
    /// Leads to level 2 of the same hierarchy.
    @Relationship(inverse: \Vehicle.ferry) var carried: [Vehicle] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Villa: House {
    var pools: Int = 0
    @Relationship(inverse: \Person.villa) var resident: Person?

    override init(_ name: String) { super.init(name) }
  }

  @Model class Flat: House {
    var floor: Int = 0
    @Relationship(inverse: \Person.flats) var tenants: [Person] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Lease: Deed {
    var rent: Decimal = 0
    @Relationship(inverse: \Person.leases) var lessees: [Person] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Sale: Deed {
    var price: Decimal?
    @Relationship(.noInverse) var buyer: Person?

    override init(_ name: String) { super.init(name) }
  }

  // MARK: Level 5

  @Model final class Taxi: Sedan {
    var licence: Int?
    @Relationship(deleteRule: .cascade, inverse: \Parcel.taxi) var lost: [Parcel] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Limousine: Sedan {
    var length: Double = 0
    @Relationship(.noInverse) var chauffeur: Person?

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Camper: Van {
    var beds: Int = 2
    @Relationship(deleteRule: .cascade, inverse: \Room.camper) var cabins: [Room] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model final class CarFerry: Ferry {
    var lanes: Int?
    @Relationship(deleteRule: .deny, inverse: \Parcel.carFerry) var freight: [Parcel] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model final class RiverFerry: Ferry {
    var river: String = ""
    @Relationship(.noInverse) var piers: [Building] = []

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Penthouse: Flat {
    var view: String?
    @Relationship(deleteRule: .cascade, inverse: \Room.penthouse) var terraces: [Room] = []

    override init(_ name: String) { super.init(name) }
  }

  // MARK: Outside the hierarchy

  @Model final class Remark {
    var text: String
    var asset: Asset?

    init(_ text: String) { self.text = text }
  }

  @Model final class Person {
    var name: String
    var vehicles: [Vehicle] = []
    var cars: [Car] = []
    var boat: Boat?
    var office: Office?
    var villa: Villa?
    var flats: [Flat] = []
    var leases: [Lease] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Trailer {
    var name: String
    var truck: Truck?

    init(_ name: String) { self.name = name }
  }

  @Model final class Room {
    var name: String
    var house: House?
    var penthouse: Penthouse?
    var camper: Camper?

    init(_ name: String) { self.name = name }
  }

  @Model final class Parcel {
    var name: String
    var lorry: Lorry?
    var taxi: Taxi?
    var carFerry: CarFerry?

    init(_ name: String) { self.name = name }
  }

  // MARK: Lists

  /// The classes of the hierarchy by their levels.
  static let levels: [[any PersistentModel.Type]] = [
    [Asset.self], [Vehicle.self, Building.self, Document.self],
    [Car.self, Truck.self, Boat.self, House.self, Office.self, Deed.self, Report.self],
    [
      Sedan.self, Van.self, Tanker.self, Lorry.self, Ferry.self, Villa.self, Flat.self, Lease.self, Sale.self,
    ],
    [Taxi.self, Limousine.self, Camper.self, CarFerry.self, RiverFerry.self, Penthouse.self],
  ]
  static let classes: [any PersistentModel.Type] = levels.flatMap(\.self)
  static let others: [any PersistentModel.Type] = [
    Remark.self, Person.self, Trailer.self, Room.self, Parcel.self,
  ]
  static let schema = Schema(classes + others)

  /// Makes an object of each class that is not abstract.
  static let makers: [@Sendable (String) -> Asset] = [
    Asset.init, Vehicle.init, Building.init, Car.init, Truck.init, Boat.init, House.init, Office.init, Deed.init,
    Report.init, Sedan.init, Van.init, Tanker.init, Lorry.init, Ferry.init, Villa.init, Flat.init, Lease.init,
    Sale.init, Taxi.init, Limousine.init, Camper.init, CarFerry.init, RiverFerry.init, Penthouse.init,
  ]
}
