import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Random predicates on a deep hierarchy with random values and links: SQL selects the objects that evaluation in memory selects.
///
/// A failure says its seed; `HIERARCHY_SEED` begins there, `HIERARCHY_WORLDS` says how many stores are made.
@Suite struct DeepHierarchyRandomTests {
  typealias Models = DeepHierarchy
  typealias Asset = Models.Asset
  private typealias Root = PredicateExpressions.Variable<Asset>
  private typealias Condition = any StandardPredicateExpression<Bool>
  private typealias Build = PredicateExpressions

  private static let firstSeed = UInt64(FullTests.setting("HIERARCHY_SEED") ?? 20_261_123)
  private static let worldCount = FullTests.setting("HIERARCHY_WORLDS") ?? (FullTests.areWanted ? 250 : 2)
  private static let predicateCount = FullTests.areWanted ? 200 : 60

  @Test("Random predicates on a hierarchy, 50,000 in the full run: SQL and evaluation select the same")
  func random() throws {
    var sizes: Set<Int> = []
    for number in 0..<Self.worldCount {
      let seed = Self.firstSeed &+ UInt64(number)
      var random = SplitMix(seed: seed)
      let world = try DeepHierarchyWorld(objectsPerClass: 1 + random.below(3), random: random)
      let store = try #require(world.container.core.stores.first)
      let context = world.fresh
      for _ in 0..<Self.predicateCount {
        let predicate = Predicate<Asset> { condition(on: $0, depth: 3, &random) }
        let descriptor = FetchDescriptor(predicate: predicate)
        _ = try FetchPlan(descriptor, resolver: StoreResolver(store: store), allowsInMemory: false)
        let evaluation = InMemoryEvaluation([predicate.expression], of: predicate.variable)
        let expected = try Set(world.assets.filter(evaluation.matches).map(\.persistentModelID))
        let selected = try Set(context.fetchIdentifiers(descriptor))
        #expect(selected == expected, "seed \(seed): \(sketch(predicate.expression))")
        sizes.insert(expected.count)
      }
    }
    // The results have many different sizes, so the predicates are not trivial.
    #expect(sizes.count > 20)
  }

  @Test("Random predicates on a hierarchy with unsaved changes: fetches and evaluation select the same")
  func pending() throws {
    for number in 0..<Self.worldCount {
      let seed = Self.firstSeed &+ UInt64(number)
      var random = SplitMix(seed: seed)
      let world = try DeepHierarchyWorld(objectsPerClass: 1 + random.below(2), random: random)
      var assets = world.assets
      for _ in 0..<(Self.predicateCount / 5) {
        change(&assets, world, &random)
        world.context.processPendingChanges()
        let predicate = Predicate<Asset> { condition(on: $0, depth: 3, &random) }
        let evaluation = InMemoryEvaluation([predicate.expression], of: predicate.variable)
        let expected = try Set(assets.filter(evaluation.matches).map(ObjectIdentifier.init))
        let selected = try world.context.fetch(FetchDescriptor(predicate: predicate))
        #expect(
          Set(selected.map(ObjectIdentifier.init)) == expected && selected.count == expected.count,
          "seed \(seed): \(sketch(predicate.expression))")
        if random.once(in: 20) { try world.context.save() }
      }
    }
  }

  @Test("Live results of random predicates on a hierarchy follow unsaved changes along relationships of subclasses")
  func live() throws {
    for number in 0..<Self.worldCount {
      let seed = Self.firstSeed &+ UInt64(number)
      var random = SplitMix(seed: seed)
      let world = try DeepHierarchyWorld(objectsPerClass: 1, random: random)
      var assets = world.assets
      let predicates = (0..<6).map { _ in Predicate<Asset> { condition(on: $0, depth: 2, &random) } }
      let evaluations = predicates.map { InMemoryEvaluation([$0.expression], of: $0.variable) }
      let observers = try predicates.map {
        try ResultsObserver<Asset, Never>(filterBy: $0, modelContext: world.context)
      }
      for _ in 0..<12 {
        change(&assets, world, &random)
        if random.once(in: 10) { try world.context.save() }
        world.context.processPendingChanges()
        for (observer, evaluation) in zip(observers, evaluations) {
          let expected = try Set(assets.filter(evaluation.matches).map(ObjectIdentifier.init))
          let results = Set(observer.results.map(ObjectIdentifier.init))
          #expect(
            results == expected, "seed \(seed): \(sketch(observer.filterBy?.expression ?? predicates[0].expression))")
        }
      }
    }
  }

  /// Changes a value or a link of an object, inserts an object, or deletes one.
  private func change(_ assets: inout [Asset], _ world: DeepHierarchyWorld, _ random: inout SplitMix) {
    let (asset, other) = (assets[random.below(assets.count)], assets[random.below(assets.count)])
    switch random.below(6) {
    case 0: asset.value = random.below(50)
    case 1: asset.successor = random.once(in: 3) ? nil : other
    case 2: (asset as? Models.Vehicle)?.garage = other as? Models.Building
    case 3: (other as? Models.Ferry)?.carried.append(contentsOf: [asset as? Models.Vehicle].compactMap(\.self))
    case 4:
      let new = Models.makers[random.below(Models.makers.count)]("New")
      (new as? Models.Vehicle)?.plate = "New \(assets.count) \(random.below(1_000_000))"
      new.successor = asset
      world.context.insert(new)
      assets.append(new)
    default:
      guard asset.deeds.isEmpty, (asset as? Models.CarFerry)?.freight.isEmpty ?? true else { return }
      world.context.delete(asset)
      assets.removeAll { $0 === asset }
    }
  }

  private func condition(on root: Root, depth: Int, _ random: inout SplitMix) -> Condition {
    guard depth > 0 else { return leaf(root, &random) }
    return switch random.below(9) {
    case 0, 1, 2: nested(root, depth: depth, &random)
    case 3: leaf(root, &random)
    default: RandomCondition.joined(&random) { condition(on: root, depth: depth - 1, &$0) }
    }
  }

  // MARK: Conditions on other objects of the hierarchy

  private func nested(_ root: Root, depth: Int, _ random: inout SplitMix) -> Condition {
    let inner = Root()
    let test = condition(on: inner, depth: depth - 2, &random)
    let otherwise = random.once(in: 2)
    switch random.below(13) {
    case 0: return one(root, \Asset.successor, inner, test, otherwise)
    case 1: return one(root, \Models.Vehicle.garage, inner, test, otherwise)
    case 2: return one(root, \Models.Vehicle.ferry, inner, test, otherwise)
    case 3: return one(root, \Models.Deed.asset, inner, test, otherwise)
    case 4: return one(root, \Models.Report.subject, inner, test, otherwise)
    case 5: return one(root, \Models.Sedan.home, inner, test, otherwise)
    case 6: return one(root, \Models.Tanker.depot, inner, test, otherwise)
    case 7: return several(root, \Asset.predecessors, inner, test, otherwise, &random)
    case 8: return several(root, \Asset.deeds, inner, test, otherwise, &random)
    case 9: return several(root, \Models.Building.parked, inner, test, otherwise, &random)
    case 10: return several(root, \Models.Van.fleet, inner, test, otherwise, &random)
    case 11: return several(root, \Models.Ferry.carried, inner, test, otherwise, &random)
    default: return several(root, \Models.RiverFerry.piers, inner, test, otherwise, &random)
    }
  }

  /// A test of the object to which a relationship of some class leads.
  private func one<Source: Asset, Destination: Asset>(
    _ root: Root, _ path: any KeyPath<Source, Destination?> & Sendable, _ inner: Root,
    _ test: some StandardPredicateExpression<Bool>, _ otherwise: Bool
  ) -> Condition {
    let link = Build.build_flatMap(Build.ConditionalCast<Root, Source>(root)) {
      Build.build_KeyPath(root: $0, keyPath: path)
    }
    let mapped = Build.build_flatMap(link) { Rebound(variable: inner, to: $0, test: test) }
    return Build.build_NilCoalesce(lhs: mapped, rhs: Build.build_Arg(otherwise))
  }

  /// A test of the members of a relationship of some class.
  private func several<Source: Asset, Destination: Asset>(
    _ root: Root, _ path: any KeyPath<Source, [Destination]> & Sendable, _ inner: Root,
    _ test: some StandardPredicateExpression<Bool>, _ otherwise: Bool, _ random: inout SplitMix
  ) -> Condition {
    let cast = Build.ConditionalCast<Root, Source>(root)
    switch random.below(3) {
    case 0:
      let mapped = Build.build_flatMap(cast) { source in
        Build.build_contains(Build.build_KeyPath(root: source, keyPath: path)) {
          Rebound(variable: inner, to: $0, test: test)
        }
      }
      return Build.build_NilCoalesce(lhs: mapped, rhs: Build.build_Arg(otherwise))
    case 1:
      let mapped = Build.build_flatMap(cast) { source in
        Build.build_allSatisfy(Build.build_KeyPath(root: source, keyPath: path)) {
          Rebound(variable: inner, to: $0, test: test)
        }
      }
      return Build.build_NilCoalesce(lhs: mapped, rhs: Build.build_Arg(otherwise))
    default:
      let count = random.below(3)
      let mapped = Build.build_flatMap(cast) { source in
        let members = Build.build_filter(Build.build_KeyPath(root: source, keyPath: path)) {
          Rebound(variable: inner, to: $0, test: test)
        }
        return Build.build_Comparison(
          lhs: Build.build_KeyPath(root: members, keyPath: \.count), rhs: Build.build_Arg(count), op: .greaterThan)
      }
      return Build.build_NilCoalesce(lhs: mapped, rhs: Build.build_Arg(otherwise))
    }
  }

  // MARK: Conditions on one object

  private func rebound(_ predicate: Predicate<Asset>, _ root: Root) -> Condition {
    func bind(_ test: some StandardPredicateExpression<Bool>) -> Condition {
      Rebound(variable: predicate.variable, to: root, test: test)
    }
    return bind(predicate.expression)
  }

  private func leaf(_ root: Root, _ random: inout SplitMix) -> Condition {
    if random.once(in: 3) {
      let (kind, other) = (Models.classes[random.below(26)], Models.classes[random.below(26)])
      return rebound(random.once(in: 5) ? Self.kinds(kind, other) : Self.kind(kind, random.below(6)), root)
    }
    let leaves = Self.leaves(number: random.below(12), name: Models.classes[random.below(26)])
    return rebound(leaves[random.below(leaves.count)], root)
  }

  /// A test of a class: of the object, or of objects that relationships lead to.
  private static func kind<Model: PersistentModel>(_ type: Model.Type, _ part: Int) -> Predicate<Asset> {
    switch part {
    case 0: return #Predicate { $0.successor is Model }
    case 1: return #Predicate { $0.predecessors.contains { $0 is Model } }
    case 2: return #Predicate { ($0 as? Models.Vehicle)?.garage is Model }
    case 3: return #Predicate { ($0 as? Model) == nil }
    default: return #Predicate { $0 is Model }
    }
  }

  /// A test that an object is of two classes.
  private static func kinds<First: PersistentModel, Second: PersistentModel>(
    _ first: First.Type, _ second: Second.Type
  ) -> Predicate<Asset> {
    #Predicate { ($0 as? First).flatMap { $0 as? Second } != nil }
  }

  private static func leaves(number: Int, name: any PersistentModel.Type) -> [Predicate<Asset>] {
    typealias M = Models
    let (text, real) = ("\(name)", Double(number * 40))
    let (date, price) = (Date(timeIntervalSinceReferenceDate: 0), Decimal(number))
    let first: [Predicate<Asset>] = [
      #Predicate { $0.name.starts(with: text) }, #Predicate { $0.value > number }, #Predicate { $0.successor == nil },
      #Predicate { $0.remarks.count == 2 }, #Predicate { $0.deeds.isEmpty }, #Predicate { $0.predecessors.count > 1 },
      #Predicate { ($0 as? M.Vehicle)?.seats == number }, #Predicate { ($0 as? M.Vehicle)?.seats != number },
      #Predicate { ($0 as? M.Vehicle)?.drivers.count == 3 },
      #Predicate { ($0 as? M.Vehicle)?.drivers.contains { $0.boat != nil } == true },
      #Predicate { (($0 as? M.Building)?.floors ?? 2) > 2 }, #Predicate { ($0 as? M.Building)?.parked.isEmpty == true },
      #Predicate { ($0 as? M.Document)?.isSigned == true },
      #Predicate { ($0 as? M.Document)?.signers.isEmpty == false },
    ]
    let second: [Predicate<Asset>] = [
      #Predicate { ($0 as? M.Car)?.doors == nil }, #Predicate { ($0 as? M.Car)?.owner?.name == "Person 1" },
      #Predicate { ($0 as? M.Car)?.owner != nil }, #Predicate { (($0 as? M.Truck)?.load ?? 0) < real },
      #Predicate { ($0 as? M.Truck)?.trailer == nil }, #Predicate { ($0 as? M.Boat)?.crew.count == 1 },
      #Predicate { (($0 as? M.Boat)?.draught ?? -1) > real }, #Predicate { ($0 as? M.House)?.rooms.count == 1 },
      #Predicate { ($0 as? M.Office)?.staff.isEmpty == false }, #Predicate { (($0 as? M.Deed)?.signed ?? date) > date },
      #Predicate { ($0 as? M.Deed)?.asset == nil }, #Predicate { ($0 as? M.Report)?.subject?.floors == 3 },
      #Predicate { (($0 as? M.Report)?.subject as? M.House)?.rooms.isEmpty == true },
    ]
    let third: [Predicate<Asset>] = [
      #Predicate { ($0 as? M.Sedan)?.trim != nil }, #Predicate { ($0 as? M.Sedan)?.home?.rooms.count == 2 },
      #Predicate { (($0 as? M.Van)?.volume ?? 0) >= real }, #Predicate { ($0 as? M.Van)?.fleet.isEmpty == true },
      #Predicate { ($0 as? M.Tanker)?.depot?.floors == 1 }, #Predicate { ($0 as? M.Lorry)?.parcels.count == 1 },
      #Predicate { ($0 as? M.Ferry)?.route == "Route 1" }, #Predicate { ($0 as? M.Ferry)?.carried.isEmpty == false },
      #Predicate { ($0 as? M.Villa)?.resident == nil }, #Predicate { ($0 as? M.Flat)?.tenants.count == 3 },
      #Predicate { (($0 as? M.Lease)?.rent ?? 3) < price }, #Predicate { ($0 as? M.Sale)?.buyer?.name == "Person 2" },
      #Predicate { ($0 as? M.Taxi)?.lost.isEmpty == false }, #Predicate { ($0 as? M.Limousine)?.chauffeur != nil },
      #Predicate { ($0 as? M.Camper)?.cabins.allSatisfy { $0.house == nil } == true },
      #Predicate { ($0 as? M.CarFerry)?.lanes == nil }, #Predicate { ($0 as? M.RiverFerry)?.piers.count == 2 },
      #Predicate { ($0 as? M.Penthouse)?.terraces.contains { $0.name.contains("1") } == true },
    ]
    return first + second + third
  }
}
