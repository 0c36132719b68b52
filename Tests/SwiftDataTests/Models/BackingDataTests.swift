import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// A class as `@Model` of Apple's SwiftData expands it, with the property macros left in place.
final class ExpandedShelf {
  @Attribute(.unique) @_PersistedProperty var label: String
  @_PersistedProperty var width: Double = 2.5
  @_PersistedProperty var note: String?
  @_PersistedProperty var place: Place
  @_TransformablePersistedProperty var colour: ShelfColour?
  @Relationship(deleteRule: .cascade, inverse: \ExpandedItem.shelf) @_PersistedProperty var items: [ExpandedItem]

  init(label: String, place: Place = Place(room: "hall", row: 1)) {
    self.label = label
    self.place = place
    self.items = []
  }

  struct Place: Codable, Equatable {
    var room: String
    var row: Int
  }

  @Transient private var _$backingData: any SwiftData.BackingData<ExpandedShelf> = ExpandedShelf.createBackingData()

  /// The values.
  public var persistentBackingData: any SwiftData.BackingData<ExpandedShelf> {
    get { return _$backingData }
    set { _$backingData = newValue }
  }

  static var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
    return [
      SwiftData.Schema.PropertyMetadata(
        name: "label", keypath: \ExpandedShelf.label, defaultValue: nil, metadata: SwiftData.Schema.Attribute(.unique)),
      SwiftData.Schema.PropertyMetadata(
        name: "width", keypath: \ExpandedShelf.width, defaultValue: 2.5, metadata: nil),
      SwiftData.Schema.PropertyMetadata(name: "note", keypath: \ExpandedShelf.note, defaultValue: nil, metadata: nil),
      SwiftData.Schema.PropertyMetadata(name: "place", keypath: \ExpandedShelf.place, defaultValue: nil, metadata: nil),
      SwiftData.Schema.PropertyMetadata(
        name: "colour", keypath: \ExpandedShelf.colour, defaultValue: nil,
        metadata: SwiftData.Schema.Attribute(.transformable(by: ShelfColourTransformer.self))),
      SwiftData.Schema.PropertyMetadata(
        name: "items", keypath: \ExpandedShelf.items, defaultValue: nil,
        metadata: SwiftData.Schema.Relationship(deleteRule: .cascade, inverse: \ExpandedItem.shelf)),
    ]
  }

  init(backingData: any SwiftData.BackingData<ExpandedShelf>) {
    _label = _SwiftDataNoType()
    _width = _SwiftDataNoType()
    _note = _SwiftDataNoType()
    _place = _SwiftDataNoType()
    _colour = _SwiftDataNoType()
    _items = _SwiftDataNoType()
    self.persistentBackingData = backingData
  }

  @Transient private let _$observationRegistrar = Observation.ObservationRegistrar()

  struct _SwiftDataNoType {}
}

extension ExpandedShelf: SwiftData.PersistentModel {}
extension ExpandedShelf: Observation.Observable {}

/// A value that only a transformer makes bytes of.
struct ShelfColour: Equatable { var red: UInt8 }

final class ShelfColourTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? { (value as? ShelfColour).map { Data([$0.red]) } }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data)?.first.map { ShelfColour(red: $0) }
  }
}

/// The same with the property macros expanded, too.
class ExpandedItem {
  var name: String {
    @storageRestrictions(accesses: _$backingData, initializes: _name)
    init(initialValue) {
      _$backingData.setValue(forKey: \.name, to: initialValue)
      _name = _SwiftDataNoType()
    }
    get {
      _$observationRegistrar.access(self, keyPath: \.name)
      return self.getValue(forKey: \.name)
    }
    set {
      _$observationRegistrar.withMutation(of: self, keyPath: \.name) {
        self.setValue(forKey: \.name, to: newValue)
      }
    }
  }
  @Transient private var _name: _SwiftDataNoType = _SwiftDataNoType()

  var shelf: ExpandedShelf? {
    @storageRestrictions(accesses: _$backingData, initializes: _shelf)
    init(initialValue) {
      _$backingData.setValue(forKey: \.shelf, to: initialValue)
      _shelf = _SwiftDataNoType()
    }
    get {
      _$observationRegistrar.access(self, keyPath: \.shelf)
      return self.getValue(forKey: \.shelf)
    }
    set {
      _$observationRegistrar.withMutation(of: self, keyPath: \.shelf) {
        self.setValue(forKey: \.shelf, to: newValue)
      }
    }
  }
  @Transient private var _shelf: _SwiftDataNoType = _SwiftDataNoType()

  init(name: String, shelf: ExpandedShelf? = nil) {
    self.name = name
    self.shelf = shelf
  }

  @Transient private var _$backingData: any SwiftData.BackingData<ExpandedItem> = ExpandedItem.createBackingData()

  var persistentBackingData: any SwiftData.BackingData<ExpandedItem> {
    get { _$backingData }
    set { _$backingData = newValue }
  }

  class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
    [
      SwiftData.Schema.PropertyMetadata(name: "name", keypath: \ExpandedItem.name, defaultValue: nil, metadata: nil),
      SwiftData.Schema.PropertyMetadata(name: "shelf", keypath: \ExpandedItem.shelf, defaultValue: nil, metadata: nil),
      SwiftData.Schema.PropertyMetadata(
        name: "", keypath: \ExpandedItem.name, defaultValue: nil,
        metadata: SwiftData.Schema.Index<ExpandedItem>([\.name])),
    ]
  }

  required init(backingData: any SwiftData.BackingData<ExpandedItem>) {
    _name = _SwiftDataNoType()
    _shelf = _SwiftDataNoType()
    self.persistentBackingData = backingData
  }

  @Transient private let _$observationRegistrar = Observation.ObservationRegistrar()

  func access<_M>(keyPath: KeyPath<ExpandedItem, _M>) { _$observationRegistrar.access(self, keyPath: keyPath) }

  func withMutation<_M, _MR>(keyPath: KeyPath<ExpandedItem, _M>, _ mutation: () throws -> _MR) rethrows -> _MR {
    try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
  }

  struct _SwiftDataNoType {}
}

extension ExpandedItem: SwiftData.PersistentModel {}
extension ExpandedItem: Observation.Observable {}

@available(*, unavailable, message: "PersistentModels are not Sendable")
extension ExpandedItem: Sendable {}

/// Models with `@Model`, whose values backing data reads and writes.
@Model class BackedBook {
  var title: String
  var pages = 7
  var printed: Date?
  var author: BackedAuthor?
  init(title: String) { self.title = title }
}

@Model final class BackedAtlas: BackedBook {
  var scale: Double
  init(title: String, scale: Double) {
    self.scale = scale
    super.init(title: title)
  }
}

@Model final class BackedAuthor {
  var name: String
  @Relationship(inverse: \BackedBook.author) var books: [BackedBook] = []
  init(name: String) { self.name = name }
}

/// Backing data as a program writes it: values in a dictionary by key path.
final class DictionaryBackingData<Model: PersistentModel>: BackingData {
  var values: [PartialKeyPath<Model>: Any] = [:]
  var persistentModelID: PersistentIdentifier?
  var metadata: Any { "a dictionary" }

  init(for modelType: Model.Type) {}

  private func value<Value>(_ keyPath: KeyPath<Model, Value>) -> Value { cast(values[keyPath] as Any) }

  func getValue<Value: Decodable>(forKey: KeyPath<Model, Value>) -> Value { value(forKey) }
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>) -> Value { value(forKey) }
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>) -> Value? { values[forKey] as? Value }
  func getValue<Value: RelationshipCollection, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where OtherModel == Value.PersistentElement { value(forKey) }
  func getValue<Value: Decodable & RelationshipCollection, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where OtherModel == Value.PersistentElement { value(forKey) }
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value { value(forKey) }
  func setValue<Value: Encodable>(forKey: KeyPath<Model, Value>, to newValue: Value) {
    values[forKey] = newValue
  }
  func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>, to newValue: Value) {
    values[forKey] = newValue
  }
  func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>, to newValue: Value?) {
    values[forKey] = newValue
  }
  func setValue<Value: RelationshipCollection, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where OtherModel == Value.PersistentElement { values[forKey] = newValue }
  func setValue<Value: Encodable & RelationshipCollection, OtherModel>(
    forKey: KeyPath<Model, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement { values[forKey] = newValue }
  func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) {
    values[forKey] = newValue
  }
}

@Suite("Backing data")
struct BackingDataTests {
  @Test func `A class with the expansion of Apple's macro is saved, fetched, changed and deleted`() throws {
    let store = try TemporaryStore()
    let configuration = ModelConfiguration(url: store.url)
    do {
      let context = ModelContext(try ModelContainer(for: ExpandedShelf.self, configurations: configuration))
      let shelf = ExpandedShelf(label: "A")
      #expect(shelf.label == "A" && shelf.width == 2.5 && shelf.note == nil && shelf.items.isEmpty)
      shelf.colour = ShelfColour(red: 9)
      context.insert(shelf)
      shelf.items.append(ExpandedItem(name: "vase"))
      let clock = ExpandedItem(name: "clock", shelf: shelf)
      #expect(clock.modelContext === context && shelf.items.count == 2)
      try context.save()
      #expect(!shelf.hasChanges && shelf.persistentModelID.storeIdentifier != nil)
    }
    let context = ModelContext(try ModelContainer(for: ExpandedShelf.self, configurations: configuration))
    let shelf = try #require(
      try context.fetch(FetchDescriptor<ExpandedShelf>(predicate: #Predicate { $0.label == "A" })).first)
    #expect(shelf.width == 2.5 && shelf.place == .init(room: "hall", row: 1) && shelf.colour == ShelfColour(red: 9))
    #expect(Set(shelf.items.map(\.name)) == ["vase", "clock"])
    #expect(shelf.items.allSatisfy { $0.shelf === shelf })
    shelf.note = "dusty"
    #expect(shelf.hasChanges)
    context.rollback()
    #expect(shelf.note == nil)
    shelf.place.row = 2
    try context.save()
    let again = ModelContext(context.container)
    #expect(try again.fetch(FetchDescriptor<ExpandedShelf>()).map(\.place.row) == [2])
    context.delete(shelf)
    try context.save()
    #expect(try again.fetchCount(FetchDescriptor<ExpandedItem>()) == 0)
  }

  @Test func `Key paths through relationships of an expanded class reach the store`() throws {
    let store = try TemporaryStore()
    let context = ModelContext(
      try ModelContainer(for: ExpandedShelf.self, configurations: ModelConfiguration(url: store.url)))
    context.insert(ExpandedItem(name: "vase", shelf: ExpandedShelf(label: "B")))
    context.insert(ExpandedItem(name: "lamp"))
    try context.save()
    let found = try ModelContext(context.container).fetch(
      FetchDescriptor<ExpandedItem>(predicate: #Predicate { $0.shelf?.label == "B" }))
    #expect(found.map(\.name) == ["vase"])
  }

  @Test func `Observers of an expanded object hear of values that another context saved`() throws {
    let store = try TemporaryStore()
    let context = ModelContext(
      try ModelContainer(for: ExpandedShelf.self, configurations: ModelConfiguration(url: store.url)))
    let shelf = ExpandedShelf(label: "C")
    context.insert(shelf)
    try context.save()
    let changes = Counter()
    withObservationTracking {
      _ = shelf.width
    } onChange: {
      changes.increment()
    }
    let other = ModelContext(context.container)
    try #require(try other.fetch(FetchDescriptor<ExpandedShelf>()).first).width = 4
    try other.save()
    _ = try context.fetch(FetchDescriptor<ExpandedShelf>())
    #expect(changes.value == 1 && shelf.width == 4)
  }

  @Test func `The backing data of an object is a view of its properties`() throws {
    let book = BackedBook(title: "Solaris")
    let data = book.persistentBackingData
    #expect(data.getValue(forKey: \.title) == "Solaris" && data.getValue(forKey: \.pages) == 7)
    data.setValue(forKey: \.title, to: "Eden")
    data.setValue(forKey: \.author, to: BackedAuthor(name: "Lem"))
    #expect(book.title == "Eden" && book.author?.name == "Lem")
    #expect(data.persistentModelID == book.persistentModelID)
    #expect(book.getValue(forKey: \.pages) == 7 && book.getValue(forKey: \.author)?.name == "Lem")
    book.setValue(forKey: \.printed, to: .distantPast)
    #expect(book.printed == .distantPast)
    let atlas = BackedAtlas(title: "World", scale: 2)
    #expect(atlas.getValue(forKey: \.title) == "World" && atlas.getValue(forKey: \.scale) == 2)
  }

  @Test func `Values set by key path are changes that a save writes`() throws {
    let store = try TemporaryStore()
    let context = ModelContext(
      try ModelContainer(for: BackedBook.self, BackedAtlas.self, configurations: ModelConfiguration(url: store.url)))
    let author = BackedAuthor(name: "Lem")
    context.insert(author)
    let book = BackedBook(title: "Solaris")
    author.setValue(forKey: \.books, to: [book])
    #expect(book.author === author && book.modelContext === context)
    try context.save()
    book.setValue(forKey: \.title, to: "Eden")
    #expect(book.hasChanges)
    try context.save()
    let titles = try ModelContext(context.container).fetch(FetchDescriptor<BackedAuthor>()).first?
      .getValue(forKey: \.books).map(\.title)
    #expect(titles == ["Eden"])
  }

  @Test func `An object takes its values from backing data of any kind`() throws {
    let author = BackedAuthor(name: "Lem")
    // Inherited properties are asked for by key paths of the class itself.
    var asked = RecordingBackingData(for: BackedAtlas.self)
    asked.title = "Eden"
    asked.author = author
    let atlas = BackedAtlas(backingData: asked)
    #expect(atlas.title == "Eden" && atlas.pages == 0 && atlas.author === author && atlas.scale == 0)

    let copy = BackedBook(backingData: BackedBook(title: "Ubik").persistentBackingData)
    #expect(copy.title == "Ubik" && copy.pages == 7)

    let stored: any BackingData<BackedBook> = BackedBook.createBackingData()
    stored.setValue(forKey: \.title, to: "Emma")
    #expect(stored.getValue(forKey: \.title) == "Emma" && stored.getValue(forKey: \.pages) == 7)
    let made = BackedBook(backingData: stored)
    #expect(made.title == "Emma" && made.pages == 7 && made.author == nil)

    let shelf = DictionaryBackingData(for: ExpandedItem.self)
    shelf.setValue(forKey: \.name, to: "vase")
    let item = ExpandedItem(backingData: shelf)
    #expect(item.name == "vase")
    let store = try TemporaryStore()
    let context = ModelContext(
      try ModelContainer(for: ExpandedShelf.self, configurations: ModelConfiguration(url: store.url)))
    context.insert(item)
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<ExpandedItem>()).map(\.name) == ["vase"])
  }

  final class Counter: @unchecked Sendable {
    private(set) var value = 0
    func increment() { value += 1 }
  }
}

/// A value as one of a type that the test knows.
private func cast<Value>(_ value: Any) -> Value {
  guard let value = value as? Value else { preconditionFailure("\(value) is no \(Value.self)") }
  return value
}

/// Backing data that answers by the type of the value.
struct RecordingBackingData: BackingData {
  typealias Model = BackedAtlas
  var title = ""
  var author: BackedAuthor?
  var persistentModelID: PersistentIdentifier?
  var metadata: Any { 0 }

  init(for modelType: BackedAtlas.Type) {}

  func getValue<Value: Decodable>(forKey: KeyPath<BackedAtlas, Value>) -> Value {
    switch Value.self {
    case is String.Type: cast(title as Any)
    case is Int.Type: cast(0 as Any)
    case is Double.Type: cast(0.0 as Any)
    default: cast(Date?.none as Any)
    }
  }
  func getValue<Value: PersistentModel>(forKey: KeyPath<BackedAtlas, Value>) -> Value { cast(author as Any) }
  func getValue<Value: PersistentModel>(forKey: KeyPath<BackedAtlas, Value?>) -> Value? { author as? Value }
  func getValue<Value: RelationshipCollection, OtherModel>(forKey: KeyPath<BackedAtlas, Value>) -> Value
  where OtherModel == Value.PersistentElement { cast([BackedBook]() as Any) }
  func getValue<Value: Decodable & RelationshipCollection, OtherModel>(forKey: KeyPath<BackedAtlas, Value>) -> Value
  where OtherModel == Value.PersistentElement { cast([BackedBook]() as Any) }
  func getTransformableValue<Value>(forKey: KeyPath<BackedAtlas, Value>) -> Value { cast(0 as Any) }
  func setValue<Value: Encodable>(forKey: KeyPath<BackedAtlas, Value>, to newValue: Value) {}
  func setValue<Value: PersistentModel>(forKey: KeyPath<BackedAtlas, Value>, to newValue: Value) {}
  func setValue<Value: PersistentModel>(forKey: KeyPath<BackedAtlas, Value?>, to newValue: Value?) {}
  func setValue<Value: RelationshipCollection, OtherModel>(
    forKey: KeyPath<BackedAtlas, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement {}
  func setValue<Value: Encodable & RelationshipCollection, OtherModel>(
    forKey: KeyPath<BackedAtlas, Value>, to newValue: Value
  ) where OtherModel == Value.PersistentElement {}
  func setTransformableValue<Value>(forKey: KeyPath<BackedAtlas, Value>, to newValue: Value) {}
}
