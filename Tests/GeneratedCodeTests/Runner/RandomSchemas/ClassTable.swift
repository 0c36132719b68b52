import Foundation
import SwiftData

/// What the conditions on a class are made of: its properties, its relationships and the classes below it.
final class ClassTable<Model: PersistentModel>: AnyClassTable {
  let name: String
  let make: ((Int) -> Model)?
  private var values: [ObjectIdentifier: [Any]] = [:]
  private var optionals: [ObjectIdentifier: [Any]] = [:]
  private(set) var toOne: [any ToOneLink<Model>] = []
  private(set) var toMany: [any ToManyLink<Model>] = []
  private(set) var subclasses: [any SubclassLink<Model>] = []
  private(set) var sorts: [NamedSort<Model>] = []
  private var fillers: [(Model, RandomWorld) -> Void] = []
  let serial: any KeyPath<Model, Int> & Sendable

  /// - Parameter make: makes an object with a number of its own; `nil` for an abstract class.
  init(_ name: String, serial: any KeyPath<Model, Int> & Sendable, make: ((Int) -> Model)? = nil) {
    (self.name, self.serial, self.make) = (name, serial, make)
    add(DirectPath(name: "serial", keyPath: serial))
  }

  func values<Value>(_: Value.Type) -> [any ValuePath<Model, Value>] {
    (values[ObjectIdentifier(Value.self)] ?? []).compactMap { $0 as? any ValuePath<Model, Value> }
  }

  func optionals<Value>(_: Value.Type) -> [any OptionalPath<Model, Value>] {
    (optionals[ObjectIdentifier(Value.self)] ?? []).compactMap { $0 as? any OptionalPath<Model, Value> }
  }

  // MARK: Properties

  private func add<Value>(_ path: some ValuePath<Model, Value>) {
    values[ObjectIdentifier(Value.self), default: []].append(path)
  }

  private func add<Value>(_ path: some OptionalPath<Model, Value>) {
    optionals[ObjectIdentifier(Value.self), default: []].append(path)
  }

  func value<Value: RandomValue>(_ name: String, _ keyPath: any ReferenceWritableKeyPath<Model, Value> & Sendable) {
    add(DirectPath(name: name, keyPath: keyPath))
    fillers.append { $0[keyPath: keyPath] = .random(&$1.random) }
  }

  func optional<Value: RandomValue>(_ name: String, _ keyPath: any ReferenceWritableKeyPath<Model, Value?> & Sendable) {
    add(DirectOptionalPath(name: name, keyPath: keyPath))
    fillers.append { $0[keyPath: keyPath] = $1.random.once(in: 3) ? nil : .random(&$1.random) }
  }

  func composite(_ name: String, _ keyPath: any ReferenceWritableKeyPath<Model, Place> & Sendable) {
    value(name, keyPath)
    add(InnerPath(name: "\(name).street", outer: keyPath, keyPath: \.street))
    add(InnerPath(name: "\(name).zip", outer: keyPath, keyPath: \.zip))
    add(InnerOptionalPath(name: "\(name).note", outer: keyPath, keyPath: \.note))
  }

  func composite(optional name: String, _ keyPath: any ReferenceWritableKeyPath<Model, Place?> & Sendable) {
    optional(name, keyPath)
    add(ChainedPath(name: "\(name)?.street", outer: keyPath, keyPath: \.street))
    add(ChainedPath(name: "\(name)?.zip", outer: keyPath, keyPath: \.zip))
  }

  func tags(_ name: String, _ keyPath: any ReferenceWritableKeyPath<Model, [String]> & Sendable) {
    add(DirectPath(name: name, keyPath: keyPath))
    fillers.append { model, world in
      model[keyPath: keyPath] = (0..<world.random.below(4)).map { _ in String.random(&world.random) }
    }
  }

  // MARK: Relationships and classes

  func one<Destination: PersistentModel>(
    _ name: String, _ keyPath: any ReferenceWritableKeyPath<Model, Destination?> & Sendable
  ) {
    toOne.append(ToOne(path: DirectOptionalPath(name: name, keyPath: keyPath)))
    fillers.append { model, world in
      model[keyPath: keyPath] = world.random.once(in: 4) ? nil : world.anyObject(Destination.self)
    }
  }

  func many<Destination: PersistentModel>(
    _ name: String, _ keyPath: any ReferenceWritableKeyPath<Model, [Destination]> & Sendable
  ) {
    toMany.append(ToMany(name: name, keyPath: keyPath))
    fillers.append { model, world in
      // The other side of the relationship adds members as well.
      guard !world.random.once(in: 3) else { return }
      model[keyPath: keyPath] = world.someObjects(Destination.self)
    }
  }

  func above<Subclass: PersistentModel>(_: Subclass.Type) { subclasses.append(Below<Model, Subclass>()) }

  func sort(_ name: String, _ make: @escaping (SortOrder) -> SortDescriptor<Model>) {
    sorts.append(NamedSort(name: name, make: make))
  }

  // MARK: Objects

  func insertObject(_ world: RandomWorld) -> (any PersistentModel)? {
    guard let model = make?(world.nextSerial()) else { return nil }
    world.context.insert(model)
    return model
  }

  func fill(_ object: any PersistentModel, _ world: RandomWorld, all: Bool) {
    guard let model = object as? Model else { return }
    for filler in fillers where all || world.random.once(in: 3) { filler(model, world) }
  }

  func check(_ world: RandomWorld) throws { try FetchCheck(self, world).run() }
}

/// An order by a property, in either direction.
struct NamedSort<Model: PersistentModel> {
  let name: String
  let make: (SortOrder) -> SortDescriptor<Model>
}

/// A class table of any class.
protocol AnyClassTable: AnyObject {
  var name: String { get }
  /// Makes and inserts an object; `nil` if the class is abstract.
  func insertObject(_ world: RandomWorld) -> (any PersistentModel)?
  /// Sets all properties of an object, or some.
  func fill(_ object: any PersistentModel, _ world: RandomWorld, all: Bool)
  /// Compares one random fetch.
  func check(_ world: RandomWorld) throws
  var type: any PersistentModel.Type { get }
}

extension ClassTable {
  var type: any PersistentModel.Type { Model.self }
}

protocol ToOneLink<Source> {
  associatedtype Source: PersistentModel
  associatedtype Destination: PersistentModel
  var path: DirectOptionalPath<Source, Destination> { get }
}

struct ToOne<Source: PersistentModel, Destination: PersistentModel>: ToOneLink {
  let path: DirectOptionalPath<Source, Destination>
}

protocol ToManyLink<Source> {
  associatedtype Source: PersistentModel
  associatedtype Destination: PersistentModel
  var name: String { get }
  var keyPath: any ReferenceWritableKeyPath<Source, [Destination]> & Sendable { get }
}

struct ToMany<Source: PersistentModel, Destination: PersistentModel>: ToManyLink {
  let name: String
  let keyPath: any ReferenceWritableKeyPath<Source, [Destination]> & Sendable
}

protocol SubclassLink<Base> {
  associatedtype Base: PersistentModel
  associatedtype Subclass: PersistentModel
}

struct Below<Base: PersistentModel, Subclass: PersistentModel>: SubclassLink {}
