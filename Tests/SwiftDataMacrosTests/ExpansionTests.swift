import Testing

@Suite struct ExpansionTests {
  /// Whether the expansion has the words, whatever the white space between them.
  private func expect(_ expansion: Expansion, has words: String, _ location: SourceLocation = #_sourceLocation) {
    func squeezed(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    #expect(squeezed(expansion.text).contains(squeezed(words)), "\(expansion.text)", sourceLocation: location)
  }

  @Test func `A property gets typed storage and accessors`() {
    let book = Expansion("@Model class Book { var title: String; init(title: String) { self.title = title } }")
    #expect(book.messages.isEmpty)
    expect(
      book, has: "@exclusivity(unchecked) private nonisolated(unsafe) var _title = SwiftData._storage(for: String.self)"
    )
    expect(book, has: "required init(_$blank: SwiftData._ModelPlace) { _$state._take(_$blank) }")
    expect(book, has: "@storageRestrictions(initializes: _title) init(initialValue) { _title = .init(initialValue) }")
    expect(book, has: "if _title._isPending { _title = _title._resolved(for: self, at: 0) }")
    expect(book, has: "return _title._value(for: self, at: 0)")
    expect(book, has: "withMutation(keyPath: \\Book.title) { let previous = _title._prepared(for: self, at: 0)")
    expect(book, has: "} else { let previous = _title._prepared(for: self, at: 0)")
  }

  @Test func `A to-many relationship is changed in place`() {
    let book = Expansion(
      "@Model class Book { var a: [Page] = []; var b: [Page]?; var c = [Page](); var d: [String]; var e: String; init() {} }"
    )
    for (name, type, index) in [("_a", "[Page]", 0), ("_b", "[Page]?", 1), ("_c", "[Page]", 2)] {
      expect(
        book, has: "var change = SwiftData._InPlaceChange<\(type)>(\(name)._value(for: self, at: \(index)))")
      expect(book, has: "\(name)._begin(&change) defer { if _$state._isObserved { let previous = withMutation(")
      expect(book, has: "let previous = \(name)._prepared(for: self, at: \(index))")
      expect(book, has: "\(name)._finish(&change)")
    }
    #expect(!book.text.contains("_d._begin") && !book.text.contains("_e._begin"))
  }

  @Test func `An initial value that costs something is left to the storage`() {
    let book = Expansion("@Model class Book { var a = Date.now; var b: UUID = UUID(); var c = [1]; init() {} }")
    expect(book, has: "private nonisolated(unsafe) var _a = SwiftData._storage(initially: Date.now)")
    expect(book, has: "private nonisolated(unsafe) var _b = SwiftData._storage(for: UUID.self, initially: UUID())")
    expect(book, has: "private nonisolated(unsafe) var _c = SwiftData._storage(like: [1])")
    expect(book, has: "SwiftData._EntityOptions(hasLazyDefaults: true)")
  }

  @Test func `With a superclass in sight a value that an initializer assigns has an init accessor`() {
    let book = Expansion(
      "@Model class Atlas: Book { var a = Date.now; var b = Date.now; init(a: Date) { self.a = a; super.init() } }")
    expect(book, has: "private nonisolated(unsafe) var _a = SwiftData._storage(like: Date.now)")
    expect(book, has: "private nonisolated(unsafe) var _b = SwiftData._storage(initially: Date.now)")
    expect(book, has: "at: Self._$base + 0")
    let coded = Expansion("@Model class Atlas: Codable { var a = Date.now; init(a: Date) { self.a = a } }")
    expect(coded, has: "private nonisolated(unsafe) var _a = SwiftData._storage(initially: Date.now)")
  }

  @Test func `A fetched property has a getter and metadata, and no storage`() {
    let shelf = Expansion(
      "@Model class Shelf { @FetchedProperty(predicate: \"pages > 1\", limit: 2) var long: [Book]; init() {} }")
    #expect(shelf.messages.isEmpty)
    expect(shelf, has: "get { SwiftData._fetchedObjects(of: self, named: \"long\") }")
    expect(
      shelf,
      has: """
        PropertyMetadata(_fetched: SwiftData.Schema.FetchedProperty(_property: "long", of: [Book].self, \
        predicate: "pages > 1", limit: 2), named: "long")
        """)
    #expect(!shelf.text.contains("_storage(for: [Book].self)"))
  }

  @Test func `A composite says its elements under their coding keys`() {
    let place = Expansion(
      """
      @Composite("Where") struct Place {
        @Attribute(.length(...9)) var city: String = "x"
        var postCode: Int16?
        enum CodingKeys: String, CodingKey { case city; case postCode = "post code" }
      }
      """)
    #expect(place.messages.isEmpty)
    expect(place, has: "static var _$compositeName: String? { \"Where\" }")
    expect(
      place,
      has: """
        SwiftData._CompositeElement("city", String.self, default: ("x") as String, \
        as: SwiftData.Schema.Attribute(.length(...9)))
        """)
    expect(
      place,
      has: """
        SwiftData._CompositeElement("post code", Int16?.self, default: nil, as: SwiftData.Schema.Attribute())
        """)
    expect(place, has: "extension Place: SwiftData.CompositeValue {}")
  }

  @Test func `A subclass of a model overrides`() {
    let atlas = Expansion("@Model public class Atlas: Book { var scale = 1; init() {} }", conformances: [])
    expect(atlas, has: "private nonisolated static var _$base: Int { Book._$propertyCount }")
    expect(atlas, has: "public override nonisolated class var _$propertyCount: Int { super._$propertyCount + 1 }")
    expect(atlas, has: "super.init(_$blank: _$blank)")
    #expect(!atlas.text.contains("hasLazyDefaults"))
    expect(atlas, has: "default: super._$visit(property, &visitor)")
    #expect(!atlas.text.contains("_ModelState()") && !atlas.text.contains("extension"))
  }

  @Test func `Branches of #if keep their conditions, and equal names one index`() {
    let book = Expansion(
      """
      @Model class Book {
      #if DEBUG
      var a = 1
      #elseif os(Linux)
      var a = ""
      #else
      var b = 2
      #endif
      var c = 3
      init() {}
      }
      """)
    expect(book, has: "#if (DEBUG) case 0: visitor.visit(&_a) #endif")
    expect(book, has: "#if !(DEBUG) && (os(Linux)) case 0: visitor.visit(&_a) #endif")
    expect(book, has: "#if !(DEBUG) && !(os(Linux)) case 1: visitor.visit(&_b) #endif")
    expect(book, has: "case 2: visitor.visit(&_c)")
  }

  @Test func `Annotations and constraints become metadata`() {
    let book = Expansion(
      """
      @Model final class Book {
        #Unique<Book>([\\.isbn])
        @Attribute(.unique, originalName: "number") var isbn: String
        @Relationship(deleteRule: .cascade, inverse: \\Page.book) var pages: [Page] = []
        init() {}
      }
      """)
    expect(
      book,
      has:
        "keypath: \\Book.isbn, defaultValue: nil, metadata: SwiftData.Schema.Attribute(.unique, originalName: \"number\")"
    )
    expect(book, has: "SwiftData.Schema.Relationship(deleteRule: .cascade, inverse: \\Page.book)")
    expect(book, has: "_constraint: SwiftData.Schema.Unique<Book>([\\.isbn])")
  }

  @Test func `What lives in memory only has no column`() {
    let book = Expansion("@Model class Book { @Attribute(.ephemeral) var a = 1; var b = 2; init() {} }")
    #expect(!book.text.contains("_a._read") && book.text.contains("_b._read"))
    #expect(book.text.contains("visitor.visit(&_a)"))
  }

  @Test func `Only conformances that do not stand already are added`() {
    let tag = Expansion("@Model class Food: Tag { var a = 1; init() {} }", conformances: ["_PersistentModelRoot"])
    expect(tag, has: "extension Food: nonisolated SwiftData._PersistentModelRoot {")
    #expect(!tag.text.contains("Observable"))
    expect(tag, has: "private nonisolated static var _$base: Int { 0 }")
  }

  @Test func `A class may be called like the module that declares a conformance`() {
    let sighting = Expansion("@Model class Observation { var species: String = \"\"; init() {} }")
    expect(sighting, has: "nonisolated SwiftData.Observable")
    #expect(!sighting.text.contains("Observation.Observable"))
  }
}
