import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import Testing

/// Classes with tables of their own that get a common superclass come into one table.
@Suite("Hierarchies that come into one table of a server", TestServer.condition)
struct MergedHierarchiesTests {
  private let store: TravelStore

  init() throws { store = try TravelStore() }

  @Test(
    "Objects with equal keys stay with their values, links and history, as in a file", arguments: [true, false])
  func equalKeys(hasPlan: Bool) throws {
    try Pets.fill(ModelContext(store.open(Pets.V1.self)))
    let container = try store.open(Pets.V2.self, plan: hasPlan ? Pets.LightPlan.self : nil)
    try Pets.expectPets(ModelContext(container))
  }

  @Test("Objects with different keys keep them")
  func differentKeys() throws {
    let cats = ModelContext(try store.open(Pets.V1.self))
    cats.insert(Pets.V1.Cat("Tom"))
    try cats.save()
    _ = try store.column("SELECT setval('\(store.schema).dog__id_seq', 700)::text")
    let dogs = ModelContext(try store.open(Pets.V1.self))
    let rex = Pets.V1.Dog("Rex")
    dogs.insert(rex)
    try dogs.save()
    let keys = try store.column(
      "SELECT _id::text FROM \(store.schema).cat UNION ALL SELECT _id::text FROM \(store.schema).dog")
    _ = try store.open(Pets.V2.self)
    #expect(try store.column("SELECT _id::text FROM \(store.schema).pet ORDER BY name DESC") == keys)
  }

  @Test(
    "A link that leads to no row stays one, although a row of the other class has its key",
    arguments: Rivals.Link.allCases)
  func danglingLink(link: Rivals.Link) throws {
    try Rivals.fill(ModelContext(store.open(Rivals.V1.self))) {
      _ = try store.column("SELECT setval('\(store.schema).dog__id_seq', \($0))::text")
    }
    let connection = try store.server.connect()
    func key(_ table: String) throws -> Int {
      try #require(try connection.column("SELECT _id::text FROM \(store.schema).\(table)").first.flatMap { Int($0) })
    }
    let (cat, dog) = (try key("cat"), try key("dog"))
    #expect(cat != dog)
    // As after the loss of rows under constraints that were not checked.
    try connection.execute("SET session_replication_role = replica; SET search_path = \(store.schema)")
    switch link {
    case .toDog: try connection.execute("UPDATE cat SET rival_id = \(cat)")
    case .toCat: try connection.execute("UPDATE dog SET rival_id = \(dog)")
    case .toFriendlyDog: try connection.execute("INSERT INTO cat_friends (cat_id, dog_id) VALUES (\(cat), \(cat))")
    case .toFriendlyCat: try connection.execute("INSERT INTO cat_friends (cat_id, dog_id) VALUES (\(dog), \(dog))")
    }
    try Rivals.expectFriends(ModelContext(store.open(Rivals.V2.self)))
  }
}
