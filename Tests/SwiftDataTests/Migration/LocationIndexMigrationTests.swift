import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Places with an R*Tree index, and big unsigned numbers.
private enum Atlas {
  enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Place.self] }

    @Model final class Place {
      #Index<Place>(.rtree([\.latitude, \.longitude]))
      var name: String
      var latitude: Double?
      var longitude: Double?
      init(_ name: String, _ latitude: Double?, _ longitude: Double?) {
        (self.name, self.latitude, self.longitude) = (name, latitude, longitude)
      }
    }
  }

  enum V2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Place.self] }

    @Model final class Place {
      #Index<Place>(.rtree([\.latitude, \.longitude]))
      var name: String
      var latitude: Double?
      var longitude: Double?
      var extra: String?
      var mask: UInt64 = UInt64.max
      init(_ name: String) { self.name = name }
    }
  }
}

@Suite("Migrations of rows with locations and unsigned numbers") struct LocationIndexMigrationTests {
  @Test("Rows without a coordinate are in the new index as in the old one, and a default beyond Int64 keeps its bits")
  func migration() throws {
    let store = try TemporaryStore()
    func context(_ version: any VersionedSchema.Type) throws -> ModelContext {
      let schema = Schema(versionedSchema: version)
      return ModelContext(
        try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: store.url)]))
    }
    let format = "latitude > 40 AND latitude < 60"
    do {
      let context = try context(Atlas.V1.self)
      context.insert(Atlas.V1.Place("both", 50, 10))
      context.insert(Atlas.V1.Place("no longitude", 51, nil))
      context.insert(Atlas.V1.Place("none", nil, nil))
      try context.save()
      let found = try context.fetch(FetchDescriptor<Atlas.V1.Place>(format: format))
      #expect(found.map(\.name).sorted() == ["both", "no longitude"])
    }
    let context = try context(Atlas.V2.self)
    let found = try context.fetch(FetchDescriptor<Atlas.V2.Place>(format: format))
    #expect(found.map(\.name).sorted() == ["both", "no longitude"])
    #expect(found.allSatisfy { $0.mask == .max })
    try Oracle.expectSound(store.url)
  }
}
