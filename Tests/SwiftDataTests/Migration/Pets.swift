import Foundation
import SwiftData
import Testing

/// Cats and dogs, which become pets.
enum Pets {
  enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Cat.self, Dog.self, Person.self, Toy.self] }

    @Model final class Cat {
      var name: String
      var owner: Person?
      @Relationship(.noInverse) var toys: [Toy] = []
      var friends: [Dog] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog {
      var name: String
      var owner: Person?
      @Relationship(.noInverse) var toys: [Toy] = []
      @Relationship(inverse: \Cat.friends) var friends: [Cat] = []
      @Relationship(.noInverse) var rival: Dog?
      init(_ name: String) { self.name = name }
    }

    @Model final class Person {
      var name: String
      @Relationship(inverse: \Cat.owner) var cats: [Cat] = []
      @Relationship(.ordered, inverse: \Dog.owner) var dogs: [Dog] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Toy {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum V2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Pet.self, Cat.self, Dog.self, Person.self, Toy.self] }

    @Model class Pet {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Cat: Pet {
      var owner: Person?
      @Relationship(.noInverse) var toys: [Toy] = []
      var friends: [Dog] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Dog: Pet {
      var owner: Person?
      @Relationship(.noInverse) var toys: [Toy] = []
      @Relationship(inverse: \Cat.friends) var friends: [Cat] = []
      @Relationship(.noInverse) var rival: Dog?
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Person {
      var name: String
      @Relationship(inverse: \Cat.owner) var cats: [Cat] = []
      @Relationship(.ordered, inverse: \Dog.owner) var dogs: [Dog] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Toy {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum LightPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: V1.self, toVersion: V2.self)] }
  }

  /// Makes the dogs anew.
  enum CopyingPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: V1.self, toVersion: V2.self, willMigrate: { try $0.delete(model: V1.Dog.self) },
          didMigrate: { context in for name in ["Rex", "Bello"] { context.insert(V2.Dog(name)) } })
      ]
    }
  }
}

extension Pets {
  /// Inserts two cats and two dogs with equal keys, and leaves the history of a third dog.
  static func fill(_ context: ModelContext) throws {
    let (tom, kit) = (V1.Cat("Tom"), V1.Cat("Kit"))
    let (rex, bello, gone) = (V1.Dog("Rex"), V1.Dog("Bello"), V1.Dog("Gone"))
    let ann = V1.Person("Ann")
    for cat in [tom, kit] { context.insert(cat) }
    for dog in [rex, bello, gone] {
      context.insert(dog)
      try context.save()
    }
    ann.cats = [tom]
    ann.dogs = [bello, rex]
    tom.toys = [V1.Toy("mouse")]
    rex.toys = [V1.Toy("bone"), V1.Toy("ball")]
    tom.friends = [rex, bello]
    kit.friends = [bello]
    rex.rival = bello
    bello.rival = bello
    context.insert(ann)
    try context.save()
    context.delete(gone)
    try context.save()
  }

  /// Expects these objects as pets, with their links and their history, and that a new pet has a key that no other has had.
  static func expectPets(_ context: ModelContext) throws {
    let pets = try context.fetch(FetchDescriptor<V2.Pet>(sortBy: [SortDescriptor(\.name)]))
    #expect(pets.map(\.name) == ["Bello", "Kit", "Rex", "Tom"])
    #expect(Set(pets.map(\.persistentModelID)).count == 4)
    let bello = try #require(pets[0] as? V2.Dog)
    let kit = try #require(pets[1] as? V2.Cat)
    let rex = try #require(pets[2] as? V2.Dog)
    let tom = try #require(pets[3] as? V2.Cat)
    let ann = try #require(try context.fetch(FetchDescriptor<V2.Person>()).first)
    #expect(ann.cats == [tom] && ann.dogs == [bello, rex])
    #expect(tom.toys.map(\.name) == ["mouse"] && Set(rex.toys.map(\.name)) == ["bone", "ball"])
    #expect(Set(tom.friends) == [rex, bello] && kit.friends == [bello] && Set(bello.friends) == [tom, kit])
    #expect(rex.rival == bello && bello.rival == bello)

    let changes = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
    let inserted = changes.compactMap { change in
      if case .insert(let insertion) = change { insertion.changedPersistentIdentifier } else { nil }
    }
    #expect(Set(inserted).isSuperset(of: pets.map(\.persistentModelID)))
    let deleted = changes.compactMap { change in
      if case .delete(let deletion as DefaultHistoryDelete<V2.Dog>) = change {
        deletion.changedPersistentIdentifier
      } else {
        nil
      }
    }
    #expect(deleted.count == 1 && inserted.contains(deleted[0]) && !pets.map(\.persistentModelID).contains(deleted[0]))

    let new = V2.Dog("New")
    context.insert(new)
    try context.save()
    #expect(!inserted.contains(new.persistentModelID))
  }
}
