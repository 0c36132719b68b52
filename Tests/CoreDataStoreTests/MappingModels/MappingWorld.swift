import Foundation
import ManagedModel
import SQLite
import TestSupport

@testable import CoreDataStore

/// A store that a mapping model migrates, with short forms for the parts of models and of mapping models.
struct MappingWorld {
  let store: TemporaryStore

  /// Makes a store and runs SQL on it.
  init(_ model: ModelDescription, name: String = "default.store", _ sql: String = "") throws {
    store = try TemporaryStore(name: name, damage: "rows by plain SQL, without the counter of keys")
    let made = try PersistentStore.open(at: store.url, model: model)
    defer { made.close() }
    try made.write { try $0.execute(sql) }
  }

  /// The text of a query's first value after the migration.
  func text(_ sql: String) throws -> String? {
    let migrated = try PersistentStore.open(at: store.url)
    defer { migrated.close() }
    return try migrated.read { try $0.text(sql) }
  }

  static func model(_ entities: EntityDescription...) -> ModelDescription { ModelDescription(entities: entities) }

  static func attribute(
    _ name: String, _ type: AttributeType, isOptional: Bool = true, isExternal: Bool = false
  ) -> PropertyDescription {
    .attribute(
      AttributeDescription(
        name: name, type: type, isOptional: isOptional, allowsExternalBinaryDataStorage: isExternal))
  }

  static func relationship(
    _ name: String, _ destination: String, _ inverse: String?, toMany: Bool = false, isOrdered: Bool = false
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name: name, destinationEntityName: destination, inverseName: inverse,
        inverseEntityName: inverse.map { _ in destination }, isOrdered: isOrdered, maximumCount: toMany ? 0 : 1))
  }

  static func expression(_ name: String, _ text: String) -> PropertyMapping {
    PropertyMapping(name: name, value: PredicateParser.expression(text).map { .expression($0) } ?? .unreadable(text))
  }

  /// The new objects of a path's old objects: those of one entity mapping, or of any.
  static func rows(_ name: String, of path: String, by mapping: String? = nil) -> PropertyMapping {
    let selector =
      mapping == nil
      ? "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
      : "destinationInstancesForEntityMappingNamed:sourceInstances:"
    return expression(name, "FUNCTION($manager, \"\(selector)\", \"\(mapping ?? path)\", $source.\(path))")
  }
}
