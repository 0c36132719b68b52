import Foundation
import SwiftData
import TestSupport
import Testing

@Model final class StoredTrip {
  var name: String
  var start: Date
  var budget: Decimal
  var tags: [String] = []
  var place: Place?
  var link: URL?
  var mood = Mood.calm
  @Relationship(deleteRule: .cascade, inverse: \StoredStop.trip) var stops: [StoredStop] = []
  @Relationship(inverse: \StoredTraveller.trips) var travellers: [StoredTraveller] = []

  init(name: String, start: Date = Date(timeIntervalSinceReferenceDate: 1000), budget: Decimal = 12.5) {
    self.name = name
    self.start = start
    self.budget = budget
  }

  struct Place: Codable, Equatable {
    var city: String
    var latitude: Double
  }

  enum Mood: String, Codable { case calm, wild }
}

@Model class StoredStop {
  var title: String
  var trip: StoredTrip?
  init(title: String, trip: StoredTrip? = nil) {
    self.title = title
    self.trip = trip
  }
}

@Model final class StoredHotelStop: StoredStop {
  var stars: Int
  init(title: String, stars: Int, trip: StoredTrip? = nil) {
    self.stars = stars
    super.init(title: title, trip: trip)
  }
}

@Model final class StoredTraveller {
  var name: String
  var trips: [StoredTrip] = []
  init(name: String) { self.name = name }
}

/// The stores that an app may write.
enum CustomStoreKind: String, CaseIterable, CustomTestStringConvertible {
  case json, dictionary, allObjects

  var testDescription: String { rawValue }

  static let types: [any PersistentModel.Type] = [
    StoredTrip.self, StoredStop.self, StoredHotelStop.self, StoredTraveller.self,
  ]

  func container(_ types: [any PersistentModel.Type] = Self.types) throws -> ModelContainer {
    let schema = Schema(types)
    switch self {
    case .json:
      let url = TemporaryFolder.url.appendingPathComponent("\(UUID().uuidString).json")
      return try ModelContainer(for: schema, configurations: [JSONFileConfiguration(schema: schema, url: url)])
    case .dictionary: return try ModelContainer(for: schema, configurations: [DictionaryConfiguration()])
    case .allObjects: return try ModelContainer(for: schema, configurations: [AllObjectsConfiguration()])
    }
  }
}

@Suite("Custom stores", .temporaryFolder)
struct CustomStoreTests {
  @Test(arguments: CustomStoreKind.allCases)
  func `Objects are saved with their values and relationships, and fetched in another context`(
    kind: CustomStoreKind
  ) throws {
    let container = try kind.container()
    let context = ModelContext(container)
    let trip = StoredTrip(name: "Alps")
    trip.tags = ["snow", "sun"]
    trip.place = .init(city: "Chur", latitude: 46.85)
    trip.link = URL(string: "https://example.com/alps")
    trip.mood = .wild
    context.insert(trip)
    trip.stops.append(StoredStop(title: "pass"))
    trip.stops.append(StoredHotelStop(title: "inn", stars: 3))
    trip.travellers.append(StoredTraveller(name: "Ada"))
    #expect(trip.persistentModelID.storeIdentifier == nil)
    try context.save()
    #expect(!context.hasChanges && trip.persistentModelID.storeIdentifier != nil)
    #expect(context.registeredModel(for: trip.persistentModelID) as StoredTrip? === trip)

    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<StoredTrip>()).first)
    #expect(found.persistentModelID == trip.persistentModelID && found !== trip)
    #expect(found.name == "Alps" && found.start == trip.start && found.budget == 12.5)
    #expect(found.tags == ["snow", "sun"] && found.place == .init(city: "Chur", latitude: 46.85))
    #expect(found.link == trip.link && found.mood == .wild)
    #expect(Set(found.stops.map(\.title)) == ["pass", "inn"])
    #expect(found.stops.compactMap { ($0 as? StoredHotelStop)?.stars } == [3])
    #expect(found.stops.allSatisfy { $0.trip === found })
    #expect(found.travellers.map(\.name) == ["Ada"] && found.travellers.first?.trips.first === found)
    #expect(try other.fetch(FetchDescriptor<StoredHotelStop>()).map(\.title) == ["inn"])
  }

  @Test(arguments: CustomStoreKind.allCases)
  func `What the store leaves to memory is filtered, sorted and cut there`(kind: CustomStoreKind) throws {
    let context = ModelContext(try kind.container())
    for (index, name) in ["d", "b", "e", "a", "c"].enumerated() {
      context.insert(StoredTrip(name: name, budget: Decimal(index)))
    }
    try context.save()
    let other = ModelContext(context.container)
    var descriptor = FetchDescriptor<StoredTrip>(
      predicate: #Predicate { $0.name != "c" }, sortBy: [SortDescriptor(\.name)])
    #expect(try other.fetch(descriptor).map(\.name) == ["a", "b", "d", "e"])
    descriptor.fetchOffset = 1
    descriptor.fetchLimit = 2
    #expect(try other.fetch(descriptor).map(\.name) == ["b", "d"])
    #expect(try other.fetchCount(descriptor) == 2)
    #expect(try other.fetchCount(FetchDescriptor<StoredTrip>()) == 5)
    #expect(try other.fetchIdentifiers(descriptor) == other.fetch(descriptor).map(\.persistentModelID))
    var unsorted = FetchDescriptor<StoredTrip>()
    unsorted.fetchLimit = 2
    #expect(try other.fetch(unsorted).map(\.name) == ["d", "b"])
    // Unsaved objects take part.
    other.insert(StoredTrip(name: "bb"))
    #expect(try other.fetch(descriptor).map(\.name) == ["b", "bb"])
    var seen: [String] = []
    try context.enumerate(FetchDescriptor<StoredTrip>(sortBy: [SortDescriptor(\.name)]), batchSize: 2) {
      seen.append($0.name)
    }
    #expect(seen == ["a", "b", "c", "d", "e"])
  }

  @Test(arguments: CustomStoreKind.allCases)
  func `Predicates and orders follow relationships`(kind: CustomStoreKind) throws {
    let context = ModelContext(try kind.container())
    let alps = StoredTrip(name: "Alps")
    let coast = StoredTrip(name: "Coast")
    for stop in [
      StoredStop(title: "pass", trip: alps), StoredStop(title: "beach", trip: coast), StoredStop(title: "nowhere"),
    ] { context.insert(stop) }
    try context.save()
    let other = ModelContext(context.container)
    let found = try other.fetch(FetchDescriptor<StoredStop>(predicate: #Predicate { $0.trip?.name == "Coast" }))
    #expect(found.map(\.title) == ["beach"])
    let rich = try other.fetch(
      FetchDescriptor<StoredTrip>(predicate: #Predicate { $0.stops.contains { $0.title == "pass" } }))
    #expect(rich.map(\.name) == ["Alps"])
    let identifier = coast.persistentModelID
    let same = try other.fetch(
      FetchDescriptor<StoredTrip>(predicate: #Predicate { $0.persistentModelID == identifier }))
    #expect(same.map(\.name) == ["Coast"])
  }

  @Test(arguments: CustomStoreKind.allCases)
  func `Changes and deletions reach the store, and other contexts`(kind: CustomStoreKind) throws {
    let context = ModelContext(try kind.container())
    let alps = StoredTrip(name: "Alps")
    let coast = StoredTrip(name: "Coast")
    context.insert(alps)
    context.insert(coast)
    let pass = StoredStop(title: "pass", trip: alps)
    try context.save()
    let other = ModelContext(context.container)
    let seen = try #require(try other.fetch(FetchDescriptor<StoredTrip>(sortBy: [SortDescriptor(\.name)])).first)
    #expect(seen.stops.count == 1)

    alps.name = "Andes"
    pass.trip = coast
    try context.save()
    #expect(
      try other.fetch(FetchDescriptor<StoredTrip>(sortBy: [SortDescriptor(\.name)])).map(\.name) == ["Andes", "Coast"])
    #expect(seen.name == "Andes" && seen.stops.isEmpty)
    let moved = try #require(try other.fetch(FetchDescriptor<StoredStop>()).first)
    #expect(moved.trip?.name == "Coast" && moved.trip?.stops.first === moved)

    context.delete(coast)
    try context.save()
    #expect(try other.fetchCount(FetchDescriptor<StoredStop>()) == 0)
    #expect(try other.fetch(FetchDescriptor<StoredTrip>()).map(\.name) == ["Andes"])
    #expect(pass.modelContext == nil && pass.title == "pass")

    alps.name = "Urals"
    context.rollback()
    #expect(alps.name == "Andes")
    try context.container.erase()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<StoredTrip>()) == 0)
    #expect(try context.fetch(FetchDescriptor<StoredTrip>()).isEmpty && alps.modelContext == nil)
  }

  @Test(arguments: CustomStoreKind.allCases)
  func `An identifier leads to its object in a new context`(kind: CustomStoreKind) throws {
    let context = ModelContext(try kind.container())
    let trip = StoredTrip(name: "Alps")
    context.insert(trip)
    let temporary = trip.persistentModelID
    try context.save()
    let coded = try JSONDecoder().decode(
      PersistentIdentifier.self, from: JSONEncoder().encode(trip.persistentModelID))
    #expect(coded == trip.persistentModelID && temporary != coded)
    let other = ModelContext(context.container)
    #expect((other.model(for: coded) as? StoredTrip)?.name == "Alps")
    #expect(other.registeredModel(for: temporary) as StoredTrip? != nil)
  }

  @Test func `A store may return all its objects, whatever class and limits a fetch has`() throws {
    let container = try ModelContainer(
      for: StoredStop.self, StoredHotelStop.self, StoredNote.self, configurations: AllObjectsConfiguration())
    let context = ModelContext(container)
    for number in 0..<3 {
      context.insert(StoredNote(text: "\(number)"))
      context.insert(StoredStop(title: "\(number)"))
    }
    context.insert(StoredHotelStop(title: "3", stars: 1))
    try context.save()
    let fresh = ModelContext(container)
    #expect(try fresh.fetchCount(FetchDescriptor<StoredNote>()) == 3)
    #expect(try fresh.fetchCount(FetchDescriptor<StoredStop>()) == 4)
    #expect(try fresh.fetchIdentifiers(FetchDescriptor<StoredHotelStop>()).map(\.entityName) == ["StoredHotelStop"])
    var two = FetchDescriptor<StoredStop>()
    (two.fetchOffset, two.fetchLimit) = (1, 2)
    let titles = try fresh.fetch(FetchDescriptor<StoredStop>()).map(\.title)
    #expect(titles.sorted() == ["0", "1", "2", "3"])
    #expect(try fresh.fetch(two).map(\.title) == Array(titles[1...2]) && fresh.fetchCount(two) == 2)
    #expect(try fresh.fetch(FetchDescriptor<StoredNote>()).map(\.text) == ["0", "1", "2"])
  }

  @Test("The pages of a fetch end, and repeat nothing, if the store skips no objects", arguments: [false, true])
  func pages(appliesLimit: Bool) throws {
    let container = try ModelContainer(
      for: StoredNote.self, configurations: AllObjectsConfiguration(appliesLimit: appliesLimit))
    let context = ModelContext(container)
    for number in 0..<7 { context.insert(StoredNote(text: "\(number)")) }
    try context.save()
    let titles = try context.fetch(FetchDescriptor<StoredNote>()).map(\.text)
    for limit in [1, 3, 4, 7, 8, .max, nil] {
      for offset in 0...8 {
        var page = FetchDescriptor<StoredNote>()
        (page.fetchOffset, page.fetchLimit) = (offset, limit)
        let wanted = Array(titles.dropFirst(offset).prefix(limit ?? .max))
        #expect(try context.fetch(page).map(\.text) == wanted, "\(offset), \(limit ?? -1)")
        #expect(try context.fetchCount(page) == wanted.count && context.fetchIdentifiers(page).count == wanted.count)
      }
    }
  }

  @Test func `What the objects of a fetch lead to is requested once, not for each object`() throws {
    let configuration = DictionaryConfiguration()
    let container = try ModelContainer(for: StoredTrip.self, configurations: configuration)
    let context = ModelContext(container)
    for number in 0..<10 { context.insert(StoredStop(title: "\(number)", trip: StoredTrip(name: "\(number)"))) }
    try context.save()
    for isFiltered in [false, true] {
      let fresh = ModelContext(container)
      let wanted = isFiltered ? #Predicate<StoredStop> { $0.title != "7" } : nil
      let stops = try fresh.fetch(FetchDescriptor<StoredStop>(predicate: wanted, sortBy: [SortDescriptor(\.title)]))
      let before = try #require(configuration.box.store?.log)
      #expect(stops.allSatisfy { $0.trip?.name == $0.title } && stops.count == (isFiltered ? 9 : 10))
      let trips = try #require(configuration.box.store?.log)
      #expect(trips.lookUps - before.lookUps == 1 && trips.fetches == before.fetches)
      #expect(stops.compactMap(\.trip).allSatisfy { $0.stops.count == 1 })
    }
  }

  @Test func `A JSON store is read again by a second container`() throws {
    let url = TemporaryFolder.url.appendingPathComponent("\(UUID().uuidString).json")
    let configuration = JSONFileConfiguration(url: url)
    do {
      let context = ModelContext(try ModelContainer(for: StoredTrip.self, configurations: configuration))
      context.insert(StoredStop(title: "pass", trip: StoredTrip(name: "Alps")))
      try context.save()
    }
    let context = ModelContext(try ModelContainer(for: StoredTrip.self, configurations: configuration))
    let trip = try #require(try context.fetch(FetchDescriptor<StoredTrip>()).first)
    #expect(trip.name == "Alps" && trip.stops.map(\.title) == ["pass"] && trip.budget == 12.5)
    let text = try String(contentsOf: url, encoding: .utf8)
    #expect(text.contains("\"name\" : \"Alps\"") && text.contains("1970-01-01") == false)
  }

  @Test func `A store that kept identifiers from before the save shows the links that inverses know`() throws {
    let url = TemporaryFolder.url.appendingPathComponent("\(UUID().uuidString).json")
    let configuration = JSONFileConfiguration(url: url)
    do {
      let context = ModelContext(try ModelContainer(for: StoredTrip.self, configurations: configuration))
      context.insert(StoredStop(title: "pass", trip: StoredTrip(name: "Alps")))
      try context.save()
    }
    var objects = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [[String: Any]])
    let trip = try #require(objects.firstIndex { $0["stops"] != nil })
    let temporary = try JSONEncoder().encode(StoredStop(title: "", trip: nil).persistentModelID)
    objects[trip]["stops"] = [try JSONSerialization.jsonObject(with: temporary)]
    try JSONSerialization.data(withJSONObject: objects).write(to: url)
    let context = ModelContext(try ModelContainer(for: StoredTrip.self, configurations: configuration))
    #expect(try context.fetch(FetchDescriptor<StoredTrip>()).map { $0.stops.map(\.title) } == [["pass"]])
  }

  @Test func `A store is told of each context, and of the author of a save`() throws {
    let configuration = DictionaryConfiguration()
    let container = try ModelContainer(for: StoredTrip.self, configurations: configuration)
    let store = try #require(configuration.box.store)
    do {
      let context = ModelContext(container)
      context.author = "Ada"
      #expect(store.log.states.isEmpty)
      context.insert(StoredTrip(name: "Alps"))
      try context.save()
      #expect(store.log.states == [context.editingState.id] && store.log.authors == ["Ada"])
    }
    // The context is released.
    #expect(store.log.states.isEmpty)
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<StoredTrip>()) == 1 && store.log.counts == 1)
    let trip = try #require(try context.fetch(FetchDescriptor<StoredTrip>()).first)
    context.delete(trip)
    try context.save()
    #expect(store.log.deletedNames == ["StoredTrip"])
  }

  @Test func `A failed save leaves the changes, and throws the store's error`() throws {
    struct Offline: Error {}
    let configuration = DictionaryConfiguration()
    let context = ModelContext(try ModelContainer(for: StoredTrip.self, configurations: configuration))
    let trip = StoredTrip(name: "Alps")
    context.insert(trip)
    configuration.box.saveFailure = Offline()
    #expect(throws: Offline.self) { try context.save() }
    #expect(context.hasChanges && trip.persistentModelID.storeIdentifier == nil)
    configuration.box.saveFailure = nil
    try context.save()
    #expect(!context.hasChanges && trip.persistentModelID.storeIdentifier != nil)
  }

  @Test func `A store that cannot be opened fails the container with its error`() throws {
    struct Closed: Error {}
    let configuration = DictionaryConfiguration()
    configuration.box.failure = Closed()
    do {
      _ = try ModelContainer(for: StoredTrip.self, configurations: configuration)
      Issue.record("The container was made.")
    } catch let error as SwiftDataError {
      #expect(error == .loadIssueModelContainer && error.underlyingError is Closed)
      #expect(error.explanation?.contains("The store dictionary cannot be opened") == true)
    }
  }

  @Test func `A container has stores of several kinds, and a migration plan for custom ones`() throws {
    enum Plan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [] }
      static var stages: [MigrationStage] { [] }
    }
    let folder = TemporaryFolder.url.appendingPathComponent(UUID().uuidString)
    let trips = Schema([StoredTrip.self])
    let notes = Schema([StoredNote.self])
    let custom = DictionaryConfiguration(name: "trips", schema: trips)
    let container = try ModelContainer(
      for: Schema([StoredTrip.self, StoredNote.self]), migrationPlan: Plan.self,
      configurations: [
        custom, ModelConfiguration("notes", schema: notes, url: folder.appendingPathComponent("notes.store")),
      ])
    #expect(custom.box.migrationPlan == Plan.self && container.configurations.map(\.name) == ["notes"])
    let context = ModelContext(container)
    context.insert(StoredTrip(name: "Alps"))
    context.insert(StoredNote(text: "boots"))
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<StoredTrip>()).map(\.name) == ["Alps"])
    #expect(try other.fetch(FetchDescriptor<StoredNote>()).map(\.text) == ["boots"])
    #expect(custom.box.store?.log.saves == 1)
  }

  @Test func `Values that the store changed as it saved them arrive in the saving context`() throws {
    let configuration = DictionaryConfiguration()
    configuration.box.echo = { $0.uppercased() }
    let context = ModelContext(try ModelContainer(for: StoredNote.self, configurations: configuration))
    let note = StoredNote(text: "boots")
    context.insert(note)
    try context.save()
    #expect(note.text == "BOOTS" && !context.hasChanges)
    note.text = "rope"
    try context.save()
    #expect(note.text == "ROPE")
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<StoredNote>()).map(\.text) == ["ROPE"])
  }

  @Test func `An insertion that the store maps to an object it has becomes that object`() throws {
    let configuration = DictionaryConfiguration()
    configuration.box.uniqueProperty = "text"
    let context = ModelContext(try ModelContainer(for: StoredNote.self, configurations: configuration))
    let first = StoredNote(text: "boots")
    context.insert(first)
    try context.save()
    let second = StoredNote(text: "boots")
    context.insert(second)
    try context.save()
    #expect(second.persistentModelID == first.persistentModelID)
    #expect(try context.fetch(FetchDescriptor<StoredNote>()).count == 1)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<StoredNote>()) == 1)
  }

  @Test func `An object that another context deleted is not saved again`() throws {
    let context = ModelContext(try ModelContainer(for: StoredNote.self, configurations: DictionaryConfiguration()))
    let note = StoredNote(text: "boots")
    context.insert(note)
    try context.save()
    let other = ModelContext(context.container)
    let same = try #require(try other.fetch(FetchDescriptor<StoredNote>()).first)
    same.text = "changed"
    context.delete(note)
    try context.save()
    try other.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<StoredNote>()) == 0)
    #expect(same.modelContext == nil && !other.hasChanges)
  }

  @Test func `The default store takes and gives snapshots`() throws {
    let url = TemporaryFolder.url.appendingPathComponent(UUID().uuidString)
      .appendingPathComponent("default.store")
    let schema = Schema(CustomStoreKind.types)
    let container = try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: url)])
    let context = ModelContext(container)
    let trip = StoredTrip(name: "Alps")
    context.insert(trip)
    trip.stops.append(StoredStop(title: "pass"))
    try context.save()

    let store = try DefaultStore(ModelConfiguration(schema: schema, url: url))
    #expect(store.identifier == trip.persistentModelID.storeIdentifier)
    let state = EditingState(author: "Ada")
    var descriptor = FetchDescriptor<StoredTrip>(predicate: #Predicate { $0.name == "Alps" })
    descriptor.relationshipKeyPathsForPrefetching = [\.stops]
    let result = try store.fetch(DataStoreFetchRequest(editingState: state, descriptor: descriptor))
    let snapshot = try #require(result.fetchedSnapshots.first)
    #expect(snapshot.persistentIdentifier == trip.persistentModelID && result.relatedSnapshots.count == 1)

    let stop = StoredStop(title: "hut", trip: nil)
    var related: [PersistentIdentifier: any BackingData] = [:]
    let new = DefaultSnapshot(from: stop.persistentBackingData, relatedBackingDatas: &related)
    let saved = try store.save(DataStoreSaveChangesRequest(inserted: [new], deleted: [snapshot], editingState: state))
    #expect(saved.remappedIdentifiers[stop.persistentModelID]?.storeIdentifier == store.identifier)
    let token = try store.fetchHistory(HistoryDescriptor()).last?.token
    #expect(saved.historyToken as? DefaultHistoryToken == token && token?.storeIdentifier == store.identifier)
    let other = ModelContext(container)
    #expect(try other.fetchCount(FetchDescriptor<StoredTrip>()) == 0)
    #expect(try other.fetch(FetchDescriptor<StoredStop>()).map(\.title) == ["hut"])
    try store.delete(DataStoreBatchDeleteRequest<StoredStop>(editingState: state))
    #expect(try store.fetchCount(DataStoreFetchRequest<StoredStop>(editingState: state, descriptor: .init())) == 0)
  }

  @Test func `Snapshots are coded with the identifier and each property under its name`() throws {
    _ = try CustomStoreKind.dictionary.container()
    let trip = StoredTrip(name: "Alps")
    trip.place = .init(city: "Chur", latitude: 1)
    trip.stops = [StoredStop(title: "pass")]
    var related: [PersistentIdentifier: any BackingData] = [:]
    let snapshot = DefaultSnapshot(from: trip.persistentBackingData, relatedBackingDatas: &related)
    #expect(Set(related.keys) == Set(trip.stops.map(\.persistentModelID)))
    let data = try JSONEncoder().encode(snapshot)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(object["name"] as? String == "Alps" && object["persistentIdentifier"] != nil)
    #expect((object["place"] as? [String: Any])?["city"] as? String == "Chur" && object["link"] == nil)
    let again = try JSONDecoder().decode(DefaultSnapshot.self, from: data)
    #expect(again.persistentIdentifier == trip.persistentModelID)
    #expect(try JSONEncoder().encode(again).count == data.count)
    #expect(DataStoreSnapshotCodingKey(stringValue: "persistentIdentifier") == .persistentIdentifier)
    #expect(DataStoreSnapshotCodingKey(stringValue: "name") == .modeledProperty("name"))
    #expect(DataStoreSnapshotCodingKey(intValue: 1) == nil)
  }
}

@Suite("Identifiers and snapshots outside of custom stores") struct LooseSnapshotTests {
  @Model final class LooseNote {
    var text: String
    init(text: String) { self.text = text }
  }

  @Test func `A snapshot of an object in an ordinary store is coded and decoded`() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let context = ModelContext(try ModelContainer(for: LooseNote.self, configurations: configuration))
    let note = LooseNote(text: "a")
    context.insert(note)
    try context.save()
    var related: [PersistentIdentifier: any BackingData] = [:]
    let data = try JSONEncoder().encode(
      DefaultSnapshot(from: note.persistentBackingData, relatedBackingDatas: &related))
    let again = try JSONDecoder().decode(DefaultSnapshot.self, from: data)
    #expect(again.persistentIdentifier == note.persistentModelID)
    #expect(try JSONEncoder().encode(again).count == data.count)
  }

  @Test func `Identifiers with whole numbers are ordered as numbers, before all others`() throws {
    let identifiers = try [1, 2, 10, 11, -3].map {
      try PersistentIdentifier.identifier(for: "s", entityName: "LooseNote", primaryKey: $0)
    }
    let texts = try ["0x", "1a", "b"].map {
      try PersistentIdentifier.identifier(for: "s", entityName: "LooseNote", primaryKey: $0)
    }
    let expected = [identifiers[4]] + identifiers[..<4] + texts
    for seed in 0..<20 as Range<UInt64> {
      var numbers = SplitMix(seed: seed)
      #expect(expected.shuffled(using: &numbers).sorted() == expected)
    }
  }
}

@Model final class StoredNote {
  var text: String
  init(text: String) { self.text = text }
}
