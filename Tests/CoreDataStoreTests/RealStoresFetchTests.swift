import Foundation
import ManagedModel
import SQLite
import TestSupport
import Testing

@testable import CoreDataStore

@Suite(.enabled(if: Fixtures.areAvailable, "needs ../shared/fixtures, which is not part of the repository"))
struct RealStoresFetchTests {
  @Test("CD-2.3, CD-5: a fetch reads what plain SQL reads, in every row of every entity", arguments: RealStores.all)
  func everyRow(name: String) throws {
    let copy = try Fixtures.copyOfStore(name)
    guard let store = try RealStores.open(copy) else { return }
    for entity in store.layout.entities {
      let table = "Z" + entity.rootName.uppercased()
      let columns = Set(
        try RealStores.sql(copy.url, "SELECT name FROM pragma_table_info('\(table)')").compactMap {
          if case .text(let name) = $0[0] { name } else { nil }
        })
      // Names that occur twice in a table get a number, and are the layout's own test's business.
      let attributes = entity.properties.filter { property in
        guard case .attribute(let attribute) = property, attribute.columns.count == 1 else { return false }
        let column = "Z" + property.name.uppercased()
        return columns.contains(column) && !columns.contains(column + "1") && attribute.columns[0].path.count == 1
      }
      let names = ["Z_PK", "Z_ENT", "Z_OPT"] + attributes.map { "Z" + $0.name.uppercased() }
      let kinds = entity.kindNumbers.map { "\($0)" }.joined(separator: ",")
      let expected = try RealStores.sql(
        copy.url,
        "SELECT \(names.map { "\"\($0)\"" }.joined(separator: ",")) FROM \"\(table)\" WHERE Z_ENT IN (\(kinds)) ORDER BY Z_PK"
      )
      let found = try store.rows(of: entity.name, properties: attributes.map(\.name))
      #expect(found.count == expected.count)
      #expect(try store.count(FetchRequest(entityName: entity.name)) == expected.count)
      for (row, wanted) in zip(found, expected) where row != wanted {
        for (index, attribute) in attributes.enumerated() where row[index + 3] != wanted[index + 3] {
          // External data comes without its prefix, and not at all from a file that is not there (CD-5).
          guard case .attribute(let layout) = attribute, layout.columns[0].isExternal,
            case .blob(let stored) = wanted[index + 3]
          else {
            Issue.record("\(entity.name).\(attribute.name) of row \(row[0])")
            continue
          }
          #expect(row[index + 3] == (stored.first == 1 ? .blob(stored.dropFirst()) : .null))
        }
      }
    }
  }

  @Test("CD-3: every to-many relationship leads back to the rows that plain SQL finds", arguments: RealStores.all)
  func everyRelationship(name: String) throws {
    let copy = try Fixtures.copyOfStore(name)
    guard let store = try RealStores.open(copy) else { return }
    for entity in store.layout.entities {
      let owners = try store.keys(FetchRequest(entityName: entity.name))
      guard !owners.isEmpty else { continue }
      for case .toMany(let relationship) in entity.properties where relationship.declaringEntityName == entity.name {
        let cursor = try store.related(to: (entity.name, relationship.description.name), owners: owners, columns: [])
        var pairs: Set<[Int64]> = []
        while try cursor.next() { pairs.insert([cursor.owner, cursor.key]) }
        // By the relationship's predicate form: an object is in it if the subquery says so.
        let counts = try owners.prefix(20).map { owner in
          try store.count(
            FetchRequest(
              entityName: entity.name,
              predicate: .and([
                .comparison(.equal, .object(FetchPath()), .objectConstant(owner)),
                .comparison(
                  .equal,
                  .count(
                    FetchPath(), relationship: relationship.description.name, variable: FetchVariable(1), condition: nil
                  ),
                  .constant(.integer(Int64(pairs.count { $0[0] == owner.key })))),
              ])))
        }
        #expect(counts.allSatisfy { $0 == 1 }, "\(entity.name).\(relationship.description.name)")
        guard let inverse = relationship.inverse,
          let far = store.layout.entity(named: relationship.destinationName)
        else { continue }
        // The other side, read through the other side's storage.
        var back: Set<[Int64]> = []
        if case .toOne? = far.property(named: inverse.description.name) {
          for row in try store.rows(of: far.name, properties: [inverse.description.name]) {
            if case (.integer(let key), .integer(let owner)) = (row[0], row[3]),
              owners.contains(where: { $0.key == owner })
            {
              back.insert([owner, key])
            }
          }
        } else {
          let objects = try store.keys(FetchRequest(entityName: far.name))
          let cursor = try store.related(to: (far.name, inverse.description.name), owners: objects, columns: [])
          while try cursor.next() { back.insert([cursor.key, cursor.owner]) }
        }
        #expect(pairs == back, "\(entity.name).\(relationship.description.name)")
      }
    }
  }
}
