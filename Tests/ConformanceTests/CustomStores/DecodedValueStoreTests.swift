import Foundation
import SwiftData
import Testing

/// Stores that keep decoded JSON give values of their own types, and null for an absent value.
@Suite("Snapshots of decoded JSON") struct DecodedValueStoreTests {
  @Model final class Ship {
    var name: String
    var length: Double?
    var owner: Harbour?

    init(name: String) { self.name = name }
  }

  @Model final class Harbour {
    var name: String
    @Relationship(inverse: \Ship.owner) var ships: [Ship] = []

    init(name: String) { self.name = name }
  }

  private func fetch(_ row: [String: DecodedValue]) throws -> Ship? {
    let schema = Schema([Ship.self, Harbour.self])
    let container = try ModelContainer(for: schema, configurations: [DecodedConfiguration(row: row)])
    return try ModelContext(container).fetch(FetchDescriptor<Ship>()).first
  }

  @Test("A null is an absent value of an attribute and of a relationship")
  func null() throws {
    let ship = try #require(try fetch(["name": .string("Argo"), "length": .null, "owner": .null]))
    #expect(ship.name == "Argo" && ship.length == nil && ship.owner == nil)
    let other = try #require(try fetch(["name": .string("Argo"), "length": .number(2.5)]))
    #expect(other.length == 2.5 && other.owner == nil)
  }

  @Test("A null of a mandatory attribute reads as its default")
  func mandatoryNull() throws {
    #expect(try fetch(["name": .null])?.name == "")
  }

  @Test("A value that is no identifier is told with the relationship")
  func wrongLink() throws {
    let error = #expect(throws: SwiftDataError.storeFailure) {
      try fetch(["name": .string("Argo"), "owner": .number(1)])
    }
    let words = "gave a value of Ship.owner that is not a PersistentIdentifier"
    #expect(error?.explanation?.contains(words) == true, "\(error?.explanation ?? "")")
  }

  @Test("A sort descriptor of any kind names its property")
  func keyPathOfSort() {
    let sorts: [(SortDescriptor<Ship>, PartialKeyPath<Ship>)] = [
      (SortDescriptor(\.name), \.name), (SortDescriptor(\.name, comparator: .localized), \.name),
      (SortDescriptor(\.name, comparator: .lexical), \.name),
      (SortDescriptor(\.owner?.name, order: .reverse), \.owner?.name),
      (SortDescriptor(\.length), \.length),
    ]
    for (sort, property) in sorts { #expect(sort.keyPath == property) }
    func inGenericCode<Model: PersistentModel>(_ sort: SortDescriptor<Model>) -> PartialKeyPath<Model>? { sort.keyPath }
    #expect(inGenericCode(SortDescriptor(\Ship.name)) == \Ship.name)
  }
}

enum DecodedValue: Codable {
  case null
  case string(String)
  case number(Double)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .string(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    }
  }
}

/// The values of an object as they were decoded.
struct DecodedSnapshot: DataStoreSnapshot {
  let persistentIdentifier: PersistentIdentifier
  var values: [String: DecodedValue]

  init(_ identifier: PersistentIdentifier, _ values: [String: DecodedValue]) {
    persistentIdentifier = identifier
    self.values = values
  }

  init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
    preconditionFailure("No test saves to this store.")
  }

  init(from decoder: any Decoder) throws { throw DataStoreError.unsupportedFeature }

  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self { self }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    for (name, value) in values { try container.encode(value, forKey: .modeledProperty(name)) }
  }
}

/// A store of one ship.
final class DecodedStore: DataStore {
  typealias Configuration = DecodedConfiguration
  typealias Snapshot = DecodedSnapshot

  let configuration: DecodedConfiguration
  let identifier = "decoded"
  let schema: Schema

  init(_ configuration: DecodedConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DecodedSnapshot> {
    let ship = try PersistentIdentifier.identifier(for: identifier, entityName: "Ship", primaryKey: 1)
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: [DecodedSnapshot(ship, configuration.row)])
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DecodedSnapshot>
  ) throws -> DataStoreSaveChangesResult<DecodedSnapshot> { throw DataStoreError.unsupportedFeature }
}

struct DecodedConfiguration: DataStoreConfiguration {
  typealias Store = DecodedStore

  var name = "decoded"
  var schema: Schema?
  let row: [String: DecodedValue]

  static func == (left: Self, right: Self) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
