import Foundation
import SwiftData
import TestSupport
import Testing

/// Letters get a sender, and then all have one.
private enum PostV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Letter.self, Person.self] }

  @Model final class Letter {
    var text: String
    init(_ text: String) { self.text = text }
  }

  @Model final class Person {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

private enum PostV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Letter.self, Person.self] }

  @Model final class Letter {
    var text: String
    var sender: Person?
    var town: String?
    init(_ text: String) { self.text = text }
  }

  @Model final class Person {
    var name: String
    @Relationship(inverse: \Letter.sender) var letters: [Letter] = []
    init(_ name: String) { self.name = name }
  }
}

private enum PostV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Letter.self, Person.self] }

  @Model final class Letter {
    var text: String
    var sender: Person
    var town: String
    init(_ text: String, from sender: Person, in town: String) {
      (self.text, self.sender, self.town) = (text, sender, town)
    }
  }

  @Model final class Person {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Letter.sender) var letters: [Letter] = []
    init(_ name: String) { self.name = name }
  }
}

/// A step at once, whose code comes too late.
private enum HastyPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [PostV1.self, PostV3.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: PostV1.self, toVersion: PostV3.self, willMigrate: nil,
        didMigrate: { context in
          let ann = PostV3.Person("Ann")
          for letter in try context.fetch(FetchDescriptor<PostV3.Letter>()) { letter.sender = ann }
        })
    ]
  }
}

/// What the message of ``HastyPlan`` says.
private enum PatientPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [PostV1.self, PostV2.self, PostV3.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: PostV1.self, toVersion: PostV2.self, willMigrate: nil,
        didMigrate: { context in
          let ann = PostV2.Person("Ann")
          for letter in try context.fetch(FetchDescriptor<PostV2.Letter>()) {
            (letter.sender, letter.town) = (ann, "Bath")
          }
        }),
      .lightweight(fromVersion: PostV2.self, toVersion: PostV3.self),
    ]
  }
}

/// What the message says where the older class has the properties.
private enum FillingPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [PostV2.self, PostV3.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: PostV2.self, toVersion: PostV3.self,
        willMigrate: { context in
          let ben = PostV2.Person("Ben")
          for letter in try context.fetch(FetchDescriptor<PostV2.Letter>()) where letter.sender == nil {
            (letter.sender, letter.town) = (ben, "Rye")
          }
        }, didMigrate: nil)
    ]
  }
}

@Suite("Migration to mandatory properties", ChapterPlace.condition)
struct MigrationMandatoryTests {
  private let store: TemporaryStore

  init() throws { store = try TemporaryStore(name: "Post.store") }

  private func open(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan,
        configurations: [ModelConfiguration(url: store.url)]))
  }

  private func refusal(_ plan: (any SchemaMigrationPlan.Type)?) -> String? {
    let error = #expect(throws: SwiftDataError.self) { _ = try open(PostV3.self, plan) }
    return error?.errorDescription
  }

  private func check(_ plan: any SchemaMigrationPlan.Type, sender: String, town: String) throws {
    let letters = try open(PostV3.self, plan).fetch(FetchDescriptor<PostV3.Letter>())
    #expect(letters.map(\.sender.name) == [sender])
    #expect(letters.map(\.town) == [town])
    #expect(letters[0].sender.letters == letters)
  }

  @Test("A new one that rows would lack: the message tells of a version between, which helps")
  func new() throws {
    let context = try open(PostV1.self)
    context.insert(PostV1.Letter("Dear Sir"))
    try context.save()
    for plan in [HastyPlan.self, nil] as [(any SchemaMigrationPlan.Type)?] {
      let advice = refusal(plan) ?? ""
      #expect(advice.contains("let the migration plan have a version before, where it is optional"), "\(advice)")
      #expect(!advice.contains("willMigrate"), "\(advice)")
    }
    try check(PatientPlan.self, sender: "Ann", town: "Bath")
  }

  @Test("One that was optional: the message tells of willMigrate, which helps")
  func former() throws {
    let context = try open(PostV2.self)
    context.insert(PostV2.Letter("Dear Madam"))
    try context.save()
    let advice = refusal(nil) ?? ""
    #expect(advice.contains("fill it before, in willMigrate of a custom stage of a migration plan"), "\(advice)")
    try check(FillingPlan.self, sender: "Ben", town: "Rye")
  }
}
