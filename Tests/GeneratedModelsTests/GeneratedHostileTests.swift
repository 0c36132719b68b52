import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import SwiftData

/// The golden files of names and texts that are no Swift, compiled and run.
@Suite("Generated from hostile names and texts", .damagesStores("names that the checker does not quote"))
struct GeneratedHostileTests {
  @Test("Literals hold the texts of the model whole")
  func literals() throws {
    let object = HostileSchemaV1.XEnumEvil()
    #expect(object.text.map { Array($0.unicodeScalars) } == Array(HostileMapping.quotation.unicodeScalars))
    #expect(object.long == HostileMapping.long)
    let descriptor = HostileSchemaV2.return()
    #expect("\(try #require(descriptor.predicate).expression)".contains("return home, return "))
    #expect(HostileSchemaV1.configurations.map(\.name) == [HostileMapping.long])
  }

  @Test("VH-1 … VH-8 The classes have the hashes of the model", arguments: 0..<2)
  func hashes(index: Int) throws {
    let versions: [any VersionedSchema.Type] = [HostileSchemaV1.self, HostileSchemaV2.self]
    let lowered = try Schema(versionedSchema: versions[index]).lowered()
    let expected = try VersionHashes(HostileMapping.versions[index].model)
    #expect(try VersionHashes(lowered).differingEntities(from: expected) == [])
  }

  @Test("The stage stops at the first part that nobody has written, and the store is as it was")
  func unwritten() throws {
    let store = try TemporaryStore()
    func open(_ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil) throws -> ModelContext
    {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: version), migrationPlan: plan,
          configurations: [ModelConfiguration(url: store.url)]))
    }
    let context = try open(HostileSchemaV1.self)
    context.insert(HostileSchemaV1.Old(value: .now))
    context.insert(HostileSchemaV1.XEnumEvil())
    try context.save()
    let error = #expect(throws: (any Error).self) { try open(HostileSchemaV2.self, HostileMigrationPlan.self) }
    #expect(error.map { "\($0)" }?.contains("Not written yet") == true, "\(error as Any)")
    #expect(try open(HostileSchemaV1.self).fetchCount(FetchDescriptor<HostileSchemaV1.XEnumEvil>()) == 1)
  }
}
