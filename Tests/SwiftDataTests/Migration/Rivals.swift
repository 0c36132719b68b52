import SwiftData
import Testing

/// Cats and dogs that lead to one another, which become pets.
enum Rivals {
  enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Cat.self, Dog.self] }

    @Model final class Cat {
      var name: String
      @Relationship(.noInverse) var rival: Dog?
      var friends: [Dog] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Dog {
      var name: String
      @Relationship(.noInverse) var rival: Cat?
      @Relationship(inverse: \Cat.friends) var admirers: [Cat] = []
      init(_ name: String) { self.name = name }
    }
  }

  enum V2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Pet.self, Cat.self, Dog.self] }

    @Model class Pet {
      var name: String
      @Relationship(.noInverse) var rival: Pet?
      @Relationship(inverse: \Cat.friends) var admirers: [Cat] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Cat: Pet {
      var friends: [Pet] = []
      override init(_ name: String) { super.init(name) }
    }

    @Model final class Dog: Pet {
      override init(_ name: String) { super.init(name) }
    }
  }

  /// A link that leads to no row, with the key that a row of the other class has.
  enum Link: CaseIterable, Sendable {
    case toDog, toCat, toFriendlyDog, toFriendlyCat
  }

  static let catKey = 1
  static let dogKey = 701

  /// Inserts a cat and a dog with different keys, who are friends.
  ///
  /// - Parameter setLastDogKey: lets the store give the next dog the key after this one.
  static func fill(_ context: ModelContext, setLastDogKey: (Int) throws -> Void) throws {
    let (tom, rex) = (V1.Cat("Tom"), V1.Dog("Rex"))
    context.insert(tom)
    try context.save()
    try setLastDogKey(dogKey - 1)
    context.insert(rex)
    tom.friends = [rex]
    try context.save()
  }

  /// Expects that the cat and the dog are friends, and nobody's rival.
  static func expectFriends(_ context: ModelContext) throws {
    let tom = try #require(try context.fetch(FetchDescriptor<V2.Cat>()).first)
    let rex = try #require(try context.fetch(FetchDescriptor<V2.Dog>()).first)
    #expect(tom.name == "Tom" && rex.name == "Rex")
    #expect(tom.rival == nil && rex.rival == nil)
    #expect(tom.friends == [rex] && tom.admirers.isEmpty && rex.admirers == [tom])
    #expect(try context.fetchCount(FetchDescriptor<V2.Pet>(predicate: #Predicate { $0.rival?.name != nil })) == 0)
  }
}
