// Begun by generate-models from Depot.xcdatamodeld and never written again: this file is yours to edit.

import SwiftData

extension DepotMigrationPlan {
  /// From ``DepotSchemaV2`` to ``DepotSchemaV3``, as the mapping model “Depot2to3” says.
  ///
  /// The stage keeps rows and values that correspond by name. Values that an expression of the mapping model needs are
  /// read before the stage and set after it.
  static var migrateV2toV3: MigrationStage {
    var clerkToClerkRows: [ClerkToClerkRow] = []
    return .custom(
      fromVersion: DepotSchemaV2.self,
      toVersion: DepotSchemaV3.self,
      willMigrate: { context in
        clerkToClerkRows = try context.fetch(FetchDescriptor<DepotSchemaV2.Clerk>())
          .map(ClerkToClerkRow.init)
      },
      didMigrate: { context in
        // No entity mapping takes the rows of DepotSchemaV3.Ware: they stay behind.
        for object in try context.fetch(FetchDescriptor<DepotSchemaV3.Ware>()) {
          context.delete(object)
        }
        // The entity mapping “ClerkToClerk”.
        let clerkToClerk = Dictionary(
          uniqueKeysWithValues: try context.fetch(FetchDescriptor<DepotSchemaV3.Clerk>())
            .map { ($0.persistentModelID, $0) })
        for row in clerkToClerkRows {
          guard let object = clerkToClerk[row.persistentModelID] else { continue }
          object.badge = try clerkBadge(row, context)
        }
        for row in clerkToClerkRows {
          guard let object = clerkToClerk[row.persistentModelID] else { continue }
          try dptClerkPolicy(row, object, context)
        }
        try context.save()
      }
    )
  }

  /// A row of ``DepotSchemaV2.Clerk`` before the stage.
  private struct ClerkToClerkRow {
    let persistentModelID: PersistentIdentifier
    let teamSize: Int32
    let name: String
    let shift: Double?
    let boss: PersistentIdentifier?
    let team: [PersistentIdentifier]

    init(_ object: DepotSchemaV2.Clerk) {
      persistentModelID = object.persistentModelID
      teamSize = object.teamSize
      name = object.name
      shift = object.shift
      boss = object.boss?.persistentModelID
      team = object.team?.map(\.persistentModelID) ?? []
    }
  }

  /// The value of Clerk.badge in the entity mapping “ClerkToClerk”: FUNCTION($entityPolicy, "badgeFor:", $source.name)
  private static func clerkBadge(_ row: ClerkToClerkRow, _ context: ModelContext) throws -> String? {
    throw Unwritten(description: "Not written yet: the value of Clerk.badge in the entity mapping “ClerkToClerk”.")
  }

  /// The policy class “Depot.DPTClerkPolicy” of the entity mapping “ClerkToClerk”.
  ///
  /// Runs once for each row, after the expressions of the mapping model have been carried out. Write here what the
  /// class did beyond them.
  /// The user info of the mapping: prefix = C-.
  private static func dptClerkPolicy(
    _ row: ClerkToClerkRow,
    _ object: DepotSchemaV3.Clerk,
    _ context: ModelContext
  ) throws {
    throw Unwritten(
      description: "Not written yet: the policy class “Depot.DPTClerkPolicy” of the entity mapping “ClerkToClerk”."
    )
  }

  /// A part of the stage that nobody has written yet.
  private struct Unwritten: Error, CustomStringConvertible {
    let description: String
  }
}
