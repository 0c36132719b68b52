import Foundation
import ManagedModel
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

/// Derived attributes that no trigger keeps: saving computes them.
@Suite struct DerivedAttributeTests {
  private static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Note",
      properties: [
        .attribute(AttributeDescription(name: "title", type: .string)),
        .attribute(AttributeDescription(name: "body", type: .string)),
        derived("saved", .date, "now()"), derived("canonicalTitle", .string, "canonical:(title)"),
        derived("upper", .string, "uppercase:(title)"), derived("lower", .string, "lowercase:(title)"),
        derived("missing", .string, "lowercase:(nothing)"), derived("moment", .string, "now()"),
      ])
  ])

  private static func derived(_ name: String, _ type: AttributeType, _ expression: String) -> PropertyDescription {
    .attribute(
      AttributeDescription(
        name: name, type: type, isOptional: true, isReadOnly: true, derivation: .init(expression: expression)))
  }

  private func columns(_ names: [String]) -> [ColumnSelection] {
    names.map { ColumnSelection(entityName: "Note", propertyName: $0) }
  }

  private func row(_ store: PersistentStore) throws -> [StoreValue] {
    try store.read { connection in
      let statement = try connection.prepare(
        "SELECT ZCANONICALTITLE, ZUPPER, ZLOWER, ZMISSING, ZMOMENT, ZBODY, ZSAVED FROM ZNOTE")
      #expect(try statement.step())
      var reader = RowReader(statement, startingAt: 0)
      return (0..<statement.columnCount).map { _ in reader.value() }
    }
  }

  private func seconds(_ value: StoreValue?) -> Double? {
    switch value {
    case .real(let seconds)?: seconds
    case .integer(let seconds)?: Double(seconds)
    default: nil
    }
  }

  @Test("CD-8 saving computes now() and functions of a text of the row, whatever the source binds")
  func computed() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: Self.model)
    let number = Int32(try #require(store.layout.entity(named: "Note")).number)
    var changes = ChangeSet()
    changes.insertions = [
      .init(
        entity: number, columns: columns(["title", "upper", "saved", "body", "missing"]),
        source: StoreValuesRow(values: [
          "title": .text("Élan Ångström"), "upper": .text("stale"), "saved": .real(0), "body": .text("b"),
          "missing": .text("kept"),
        ]))
    ]
    let before = Date().timeIntervalSinceReferenceDate
    let object = try store.save(changes).inserted[0].object
    var read = try row(store)
    #expect(
      read.dropLast() == [
        .text("elan angstrom"), .text("ÉLAN ÅNGSTRÖM"), .text("élan ångström"), .text("kept"), .null, .text("b"),
      ])
    let inserted = try #require(seconds(read.last))
    // SQLite's clock has milliseconds.
    #expect(inserted >= before - 0.002)
    #expect(inserted <= Date().timeIntervalSinceReferenceDate + 0.002)

    // Another property: the texts stay, the moment moves on.
    try store.write { try $0.execute("UPDATE ZNOTE SET ZSAVED = 1, ZLOWER = 'untouched'") }
    changes = ChangeSet()
    changes.updates = [
      .init(
        object: object, version: 1, columns: columns(["body"]), changedProperties: ["body"],
        source: StoreValuesRow(values: ["body": .text("c")]))
    ]
    _ = try store.save(changes)
    read = try row(store)
    #expect(read[2] == .text("untouched") && read[5] == .text("c"))
    #expect(try #require(seconds(read.last)) >= inserted)

    // The text itself; nil derives nil.
    changes.updates = [
      .init(
        object: object, version: 2, columns: columns(["title"]), changedProperties: ["title"],
        source: StoreValuesRow(values: ["title": .null]))
    ]
    _ = try store.save(changes)
    #expect(try row(store).prefix(3) == [.null, .null, .null])
  }
}
