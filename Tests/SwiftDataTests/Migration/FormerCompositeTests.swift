import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import TestSupport
import Testing

@testable import SwiftData

/// A composite with raw values, and one with the columns and values that earlier versions made of it.
private enum Former {
  enum Kind: String, Codable { case letter, parcel }
  enum Speed: Int, Codable { case slow = 1, fast = 7 }

  @Composite struct Label: Codable, Equatable {
    var street: String
    var kind: Kind
    var speed: Speed
  }

  enum Old: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Parcel.self] }

    /// Earlier versions described an element with raw values as a composite of its own, with one optional element.
    @Composite struct Label: Codable, Equatable {
      var street: String
      @Attribute(.userInfo(["EnumType": true])) var kind: KindElement
      @Attribute(.userInfo(["EnumType": true])) var speed: SpeedElement
    }
    @Composite struct KindElement: Codable, Equatable { var kind: String? }
    @Composite struct SpeedElement: Codable, Equatable { var speed: Int? }

    @Model final class Parcel {
      var number: Int
      var label: Label
      init(_ number: Int, _ label: Label) { (self.number, self.label) = (number, label) }
    }
  }

  /// As Core Data's own model would describe it.
  enum Plain: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Parcel.self] }

    @Composite struct Label: Codable, Equatable {
      var street: String
      var kind: String
      var speed: Int
    }

    @Model final class Parcel {
      var number: Int
      var label: Label
      init(_ number: Int, _ label: Label) { (self.number, self.label) = (number, label) }
    }
  }

  enum New: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Parcel.self] }

    @Model final class Parcel {
      var number: Int
      var label: Label
      init(_ number: Int, _ label: Label) { (self.number, self.label) = (number, label) }
    }
  }
}

@Suite("Raw values in the composites of earlier versions")
struct FormerCompositeTests {
  private let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  private func open(_ version: any VersionedSchema.Type) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), configurations: ModelConfiguration(url: store.url)))
  }

  @Test("The JSON that earlier versions wrote in the columns of raw values is read, and replaced by raw values")
  func json() throws {
    do {
      let context = try open(Former.Old.self)
      context.insert(
        Former.Old.Parcel(
          1, Former.Old.Label(street: "Main", kind: .init(kind: "parcel"), speed: .init(speed: 7))))
      try context.save()
    }
    do {
      let connection = try Connection(path: store.url.path, mode: .readWrite)
      try connection.execute("UPDATE ZPARCEL SET ZKIND = CAST('\"parcel\"' AS BLOB), ZSPEED = CAST('7' AS BLOB)")
    }
    let context = try open(Former.New.self)
    let parcel = try #require(try context.fetch(FetchDescriptor<Former.New.Parcel>()).first)
    #expect(parcel.label == Former.Label(street: "Main", kind: .parcel, speed: .fast))
    parcel.label.speed = .slow
    try context.save()
    let again = try open(Former.New.self).fetch(FetchDescriptor<Former.New.Parcel>())
    #expect(again.first?.label == Former.Label(street: "Main", kind: .parcel, speed: .slow))
  }

  @Test("A raw value is a plain element in the model, so that a store of Core Data keeps its version hashes")
  func hashes() throws {
    func hashes(_ version: any VersionedSchema.Type) throws -> VersionHashes {
      try VersionHashes(Schema(versionedSchema: version).lowered())
    }
    #expect(try hashes(Former.New.self).digest == hashes(Former.Plain.self).digest)
    #expect(try hashes(Former.New.self).digest != hashes(Former.Old.self).digest)
    let context = try open(Former.Plain.self)
    context.insert(Former.Plain.Parcel(1, Former.Plain.Label(street: "Main", kind: "parcel", speed: 7)))
    try context.save()
    let read = try open(Former.New.self).fetch(FetchDescriptor<Former.New.Parcel>())
    #expect(read.map(\.label) == [Former.Label(street: "Main", kind: .parcel, speed: .fast)])
  }

  @Test("The store compares the raw values in a composite")
  func query() throws {
    let context = try open(Former.New.self)
    for number in 0..<4 {
      let kind = number == 2 ? Former.Kind.parcel : .letter
      context.insert(Former.New.Parcel(number, Former.Label(street: "Main", kind: kind, speed: .slow)))
    }
    try context.save()
    let kind = Former.Kind.parcel
    let fast = Former.Speed.fast
    let statements = try ContainerStatements(context.container)
    var numbers: [Int] = []
    let queries = try statements.queries {
      numbers = try context.fetch(
        FetchDescriptor<Former.New.Parcel>(
          predicate: #Predicate {
            $0.label.kind == kind && $0.label.speed != fast
          })
      ).map(\.number)
    }
    #expect(numbers == [2])
    let query = try #require(queries.first { $0.contains("FROM ZPARCEL") && $0.contains("WHERE") })
    #expect(query.contains("ZKIND") && query.contains("ZSPEED"))
  }

  @Test("An unknown raw value reads as the first case, and is replaced when the structure changes")
  func unknown() throws {
    do {
      let context = try open(Former.New.self)
      context.insert(Former.New.Parcel(1, Former.Label(street: "Main", kind: .parcel, speed: .fast)))
      try context.save()
    }
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    try connection.execute("UPDATE ZPARCEL SET ZKIND = 'crate'")
    let context = try open(Former.New.self)
    let parcel = try #require(try context.fetch(FetchDescriptor<Former.New.Parcel>()).first)
    #expect(parcel.label == Former.Label(street: "Main", kind: .letter, speed: .fast))
    parcel.number = 2
    try context.save()
    #expect(try connection.text("SELECT ZKIND FROM ZPARCEL") == "crate")
    parcel.label.street = "Side"
    try context.save()
    #expect(try connection.text("SELECT ZKIND FROM ZPARCEL") == "letter")
  }
}
