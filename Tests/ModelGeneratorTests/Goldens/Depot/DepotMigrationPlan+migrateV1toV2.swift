// Begun by generate-models from Depot.xcdatamodeld and never written again: this file is yours to edit.

import Foundation
import SwiftData

extension DepotMigrationPlan {
  /// From ``DepotSchemaV1`` to ``DepotSchemaV2``, as the mapping model “Depot1to2” says.
  ///
  /// The stage keeps rows and values that correspond by name. Values that an expression of the mapping model needs are
  /// read before the stage and set after it.
  static var migrateV1toV2: MigrationStage {
    var itemToWareRows: [ItemToWareRow] = []
    var shelfToRackRows: [ShelfToRackRow] = []
    var clerkToClerkRows: [ClerkToClerkRow] = []
    return .custom(
      fromVersion: DepotSchemaV1.self,
      toVersion: DepotSchemaV2.self,
      willMigrate: { context in
        itemToWareRows = try context.fetch(
          FetchDescriptor<DepotSchemaV1.Item>(predicate: #Predicate { $0.price > 0 })
        )
        .map(ItemToWareRow.init)
        shelfToRackRows = try context.fetch(FetchDescriptor<DepotSchemaV1.Shelf>())
          .map(ShelfToRackRow.init)
        clerkToClerkRows = try context.fetch(
          FetchDescriptor<DepotSchemaV1.Clerk>(predicate: #Predicate { $0.name != "" })
        )
        .map(ClerkToClerkRow.init)
      },
      didMigrate: { context in
        // The entity mapping “ShelfToRack”.
        let shelfToRackKeys = Dictionary(
          uniqueKeysWithValues: shelfToRackRows.map { (rowKey($0.persistentModelID), $0.persistentModelID) })
        var shelfToRack: [PersistentIdentifier: DepotSchemaV2.Rack] = [:]
        for object in try context.fetch(FetchDescriptor<DepotSchemaV2.Rack>()) {
          guard let identifier = shelfToRackKeys[rowKey(object.persistentModelID)] else { continue }
          shelfToRack[identifier] = object
        }
        // The entity mapping “ClerkToClerk”.
        let clerkToClerkTaken = Set(clerkToClerkRows.map(\.persistentModelID))
        var clerkToClerk: [PersistentIdentifier: DepotSchemaV2.Clerk] = [:]
        for object in try context.fetch(FetchDescriptor<DepotSchemaV2.Clerk>()) {
          if clerkToClerkTaken.contains(object.persistentModelID) {
            clerkToClerk[object.persistentModelID] = object
            continue
          }
          context.delete(object)
        }
        // The entity mapping “ItemToWare”.
        var itemToWare: [PersistentIdentifier: DepotSchemaV2.Ware] = [:]
        for row in itemToWareRows {
          let object = DepotSchemaV2.Ware(name: "")
          context.insert(object)
          itemToWare[row.persistentModelID] = object
        }
        for row in itemToWareRows {
          guard let object = itemToWare[row.persistentModelID] else { continue }
          object.name = row.title
          object.cents = try converted((row.price * 100), for: "Ware.cents") { Int64(exactly: $0) }
          object.isOld = true
          object.source = "1"
          object.shelfLabel = row.shelfLabel
          object.rack = row.shelf.flatMap({ shelfToRack[$0] })
        }
        for row in shelfToRackRows {
          guard let object = shelfToRack[row.persistentModelID] else { continue }
          object.code = row.label
        }
        for row in clerkToClerkRows {
          guard let object = clerkToClerk[row.persistentModelID] else { continue }
          object.name = row.name.uppercased()
          object.shift = row.shift.map({ Double($0) })
          object.teamSize = try converted(row.teamCount, for: "Clerk.teamSize") { Int32(exactly: $0) }
        }
        try context.save()
      }
    )
  }

  /// A row of ``DepotSchemaV1.Item`` before the stage.
  private struct ItemToWareRow {
    let persistentModelID: PersistentIdentifier
    let title: String
    let price: Double
    let shelfLabel: String?
    let shelf: PersistentIdentifier?

    init(_ object: DepotSchemaV1.Item) {
      persistentModelID = object.persistentModelID
      title = object.title
      price = object.price
      shelfLabel = object.shelf?.label
      shelf = object.shelf?.persistentModelID
    }
  }

  /// A row of ``DepotSchemaV1.Shelf`` before the stage.
  private struct ShelfToRackRow {
    let persistentModelID: PersistentIdentifier
    let label: String

    init(_ object: DepotSchemaV1.Shelf) {
      persistentModelID = object.persistentModelID
      label = object.label
    }
  }

  /// A row of ``DepotSchemaV1.Clerk`` before the stage.
  private struct ClerkToClerkRow {
    let persistentModelID: PersistentIdentifier
    let name: String
    let shift: Int32?
    let teamCount: Int

    init(_ object: DepotSchemaV1.Clerk) {
      persistentModelID = object.persistentModelID
      name = object.name
      shift = object.shift
      teamCount = object.team?.count ?? 0
    }
  }

  /// The key of a row, which it keeps when its entity gets another name.
  private static func rowKey(_ identifier: PersistentIdentifier) -> Substring {
    "\(identifier)".split(separator: "/").last ?? ""
  }

  /// Converts a value, and fails if the new type cannot hold it.
  private static func converted<Old, New>(
    _ value: Old, for property: String, _ convert: (Old) -> New?
  ) throws -> New {
    guard let result = convert(value) else {
      throw Unfit(description: "\(property) cannot hold \(value).")
    }
    return result
  }

  /// A value that a property cannot have.
  private struct Unfit: Error, CustomStringConvertible {
    let description: String
  }
}
