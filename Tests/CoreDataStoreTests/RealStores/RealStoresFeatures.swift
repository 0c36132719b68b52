import Foundation
import ManagedModel
import SQLite

@testable import CoreDataStore

extension RealStore {
  /// What a store and its model have, in the words of the table.
  static func features(of store: PersistentStore) throws -> String {
    let entities = store.layout.entities
    let own = entities.flatMap { entity in entity.properties.filter { $0.declaringEntityName == entity.name } }
    let attributes = own.compactMap { if case .attribute(let attribute) = $0 { attribute.description } else { nil } }
    let toMany = own.compactMap { if case .toMany(let relationship) = $0 { relationship } else { nil } }
    let definitions = try store.read { try Catalogue($0) }.definitions
    let counts = [
      ("abstract", entities.count { $0.isAbstract }),
      ("subentities", entities.count { $0.superentityName != nil }),
      ("many-to-many", store.layout.joinTables.count),
      ("ordered", toMany.count { $0.description.isOrdered }),
      ("without inverse", toMany.count { $0.inverse == nil }),
      ("reflexive", own.count(where: isReflexive)),
      ("unique", entities.reduce(0) { $0 + $1.description.uniquenessConstraints.count }),
      ("external", attributes.count { $0.allowsExternalBinaryDataStorage }),
      ("derived", attributes.count { $0.derivation != nil }),
      ("composite", attributes.count { $0.type == .composite }),
      ("location", try entities.reduce(0) { try $0 + store.layout.locationIndexes(of: $1).count }),
      ("triggers", definitions.count { $0.kind == "trigger" }),
    ]
    return (counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" } + (try fileFeatures(of: store))).joined(
      separator: ", ")
  }

  private static func isReflexive(_ property: PropertyLayout) -> Bool {
    switch property {
    case .attribute: false
    case .toOne(let relationship):
      relationship.inverse?.description == relationship.description
        && relationship.inverse?.entityName == relationship.declaringEntityName
    case .toMany(let relationship):
      relationship.inverse?.description == relationship.description
        && relationship.inverse?.entityName == relationship.declaringEntityName
    }
  }

  private static func fileFeatures(of store: PersistentStore) throws -> [String] {
    guard let url = store.url else { return [] }
    let header = [UInt8](try Data(contentsOf: url).prefix(100))
    var words: [String] = []
    if try store.read({ try Catalogue($0) }).has(HistoryTables.change) {
      words.append(try store.read { try $0.integer("SELECT count(*) FROM ACHANGE") } == 0 ? "empty history" : "history")
    }
    if header[16] != 16 { words.append("pages of \(Int(header[16]) << 8 | Int(header[17])) bytes") }
    if header[18] == 1 { words.append("rollback journal") }
    if header[47] == 1 { words.append("schema format 1") }
    return words
  }
}
