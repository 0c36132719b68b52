// Begun by generate-models from Depot.xcdatamodeld and never written again: this file is yours to edit.

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
        // The entity mapping “ItemToWare”.
        var itemToWare: [PersistentIdentifier: DepotSchemaV2.Ware] = [:]
        for row in itemToWareRows {
          let object = DepotSchemaV2.Ware(name: "")
          context.insert(object)
          itemToWare[row.persistentModelID] = object
        }
        // The entity mapping “ShelfToRack”.
        var shelfToRack: [PersistentIdentifier: DepotSchemaV2.Rack] = [:]
        let shelfToRackKeys = Dictionary(
          uniqueKeysWithValues: shelfToRackRows.map { (rowKey($0.persistentModelID), $0) })
        for object in try context.fetch(FetchDescriptor<DepotSchemaV2.Rack>()) {
          guard let row = shelfToRackKeys[rowKey(object.persistentModelID)] else { continue }
          shelfToRack[row.persistentModelID] = object
        }
        // The entity mapping “ClerkToClerk”.
        var clerkToClerk: [PersistentIdentifier: DepotSchemaV2.Clerk] = [:]
        for object in try context.fetch(FetchDescriptor<DepotSchemaV2.Clerk>()) {
          clerkToClerk[object.persistentModelID] = object
        }
        let clerkToClerkTaken = Set(clerkToClerkRows.map(\.persistentModelID))
        for (identifier, object) in clerkToClerk where !clerkToClerkTaken.contains(identifier) {
          clerkToClerk[identifier] = nil
          context.delete(object)
        }
        for row in itemToWareRows {
          guard let object = itemToWare[row.persistentModelID] else { continue }
          object.name = row.title
          if let value = Int64(exactly: (row.price * 100).rounded(.towardZero)) { object.cents = value }
          object.isOld = true
          object.source = "1"
          object.shelfLabel = row.shelfLabel
          object.rack = row.shelf.flatMap { shelfToRack[$0] }
        }
        for row in shelfToRackRows {
          guard let object = shelfToRack[row.persistentModelID] else { continue }
          object.code = row.label
        }
        for row in clerkToClerkRows {
          guard let object = clerkToClerk[row.persistentModelID] else { continue }
          object.name = row.name.uppercased()
          if let value = row.shift { object.shift = Double(value) }
          if let value = Int32(exactly: row.teamCount) { object.teamSize = value }
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
}
