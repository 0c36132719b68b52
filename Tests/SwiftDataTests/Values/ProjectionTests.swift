import Foundation
import SwiftData
import TestSupport
import Testing

@testable import SwiftData

enum ProjectionModels {
  enum Kind: String, Codable { case novel, poem }
  struct Size: Codable, Equatable { var width: Int, height: Int }

  @Model final class Press {
    var name: String
    @Relationship(inverse: \Leaflet.press) var leaflets: [Leaflet] = []
    var parent: Press?
    @Relationship(inverse: \Press.parent) var branches: [Press] = []
    init(_ name: String) { self.name = name }
  }

  @Model class Leaflet {
    var title: String
    var pages: Int16
    var rating: Double?
    var kind: Kind
    var size: Size
    var words: [String]
    var printed: Date
    var price: Decimal
    var press: Press?

    init(_ number: Int, press: Press?) {
      title = "Leaflet \(number)"
      pages = Int16(number)
      rating = number % 2 == 0 ? nil : Double(number) / 4
      kind = number % 3 == 0 ? .poem : .novel
      size = Size(width: number, height: number + 1)
      words = ["a\(number)"]
      printed = Date(timeIntervalSinceReferenceDate: Double(number))
      price = Decimal(number) / 4
      self.press = press
    }
  }

  @Model final class Poster: Leaflet {
    var colour: String
    init(_ colour: String) {
      self.colour = colour
      super.init(0, press: nil)
    }
  }
}

@Suite("Values of objects as decoded types", .everyEngine)
struct ProjectionTests {
  typealias Leaflet = ProjectionModels.Leaflet
  typealias Press = ProjectionModels.Press

  let store: TemporaryStore
  let container: ModelContainer
  let byPages = FetchDescriptor<Leaflet>(sortBy: [SortDescriptor(\.pages)])

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema([Leaflet.self]), store)
    let context = ModelContext(container)
    let (main, branch) = (Press("Main"), Press("Branch"))
    branch.parent = main
    for number in 0..<6 { context.insert(Leaflet(number, press: [main, branch, nil][number % 3])) }
    try context.save()
  }

  struct Line: Decodable, Equatable {
    struct House: Decodable, Equatable {
      struct Owner: Decodable, Equatable { let name: String }
      let name: String
      let parent: Owner?
    }
    let id: PersistentIdentifier
    let title: String
    let pages: Int
    let rating: Double?
    let kind: ProjectionModels.Kind
    let printed: Date
    let price: Decimal
    let press: House?

    init(_ leaflet: Leaflet) {
      (id, title, pages) = (leaflet.persistentModelID, leaflet.title, Int(leaflet.pages))
      (rating, kind, printed, price) = (leaflet.rating, leaflet.kind, leaflet.printed, leaflet.price)
      press = leaflet.press.map { House($0) }
    }
  }

  @Test("Columns, identifiers and objects of to-one relationships are read with one query, and no object is loaded")
  func rows() throws {
    let context = ModelContext(container)
    let lines = try context.fetchValues(byPages, as: Line.self)
    if TestEngine.current == .file { #expect(context.core.identityMap.count == 0) }
    #expect(try lines == context.fetch(byPages).map { Line($0) } && lines.count == 6)
    var some = byPages
    some.fetchLimit = 2
    some.fetchOffset = 1
    some.predicate = #Predicate { $0.pages > 1 }
    #expect(try context.fetchValues(some, as: Line.self).map(\.pages) == [3, 4])
    #expect(try context.fetchValues(FetchDescriptor<Leaflet>(predicate: .false), as: Line.self).isEmpty)
  }

  @Test("Unsaved changes are included")
  func unsaved() throws {
    let context = ModelContext(container)
    context.insert(Leaflet(7, press: nil))
    try context.fetch(byPages).first?.title = "Changed"
    let lines = try context.fetchValues(byPages, as: Line.self)
    #expect(lines.map(\.title).first == "Changed" && lines.count == 7 && lines.last?.pages == 7)
  }

  @Test("A type never decodes values that no row has, also where only some rows have an object")
  func realValues() throws {
    struct Strict: Decodable, Equatable {
      struct House: Decodable, Equatable {
        let name: String
        init(from decoder: any Decoder) throws {
          name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
          #expect(["Main", "Branch"].contains(name))
        }
        enum CodingKeys: CodingKey { case name }
      }
      let title: String
      let press: House?
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decode(String.self, forKey: .title)
        #expect(title.hasPrefix("Leaflet "))
        press = try container.decodeIfPresent(House.self, forKey: .press)
      }
      enum CodingKeys: CodingKey { case title, press }
    }
    let backwards = FetchDescriptor<Leaflet>(sortBy: [SortDescriptor(\.pages, order: .reverse)])
    let values = try ModelContext(container).fetchValues(backwards, as: Strict.self)
    #expect(values.map { $0.press?.name } == [nil, "Branch", "Main", nil, "Branch", "Main"])
  }

  @Test("Keys of subclasses are no keys of the fetched class, with unsaved changes or without")
  func subclasses() throws {
    struct Sheet: Decodable { let title: String, colour: String? }
    struct Inked: Decodable { let colour: String }
    let store = try TemporaryStore()
    let container = try TestEngine.current.container(Schema([ProjectionModels.Poster.self]), store)
    let context = ModelContext(container)
    context.insert(ProjectionModels.Poster("red"))
    try context.save()
    for _ in 0..<2 {
      #expect(try context.fetchValues(FetchDescriptor<Leaflet>(), as: Sheet.self).map(\.colour) == [nil])
      #expect(throws: SwiftDataError.unsupportedKeyPath) {
        try context.fetchValues(FetchDescriptor<Leaflet>(), as: Inked.self)
      }
      let posters = try context.fetchValues(FetchDescriptor<ProjectionModels.Poster>(), as: Inked.self)
      #expect(posters.map(\.colour) == ["red"])
      try context.fetch(FetchDescriptor<Leaflet>()).first?.title = "Changed"
    }
  }

  @Test("Coding keys name properties; values are read as other types; a type decides by its own init(from:)")
  func conversions() throws {
    struct Other: Decodable {
      let name: String
      let number: Double
      let kind: String
      let isLong: Bool
      enum CodingKeys: String, CodingKey { case name = "title", number = "pages", kind, rating }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        number = try container.decode(Double.self, forKey: .number)
        kind = try container.decode(String.self, forKey: .kind)
        // A key that only some rows read.
        isLong = number > 2 ? try container.decodeIfPresent(Double.self, forKey: .rating) != nil : false
      }
    }
    let others = try ModelContext(container).fetchValues(byPages, as: Other.self)
    #expect(others.map(\.name) == (0..<6).map { "Leaflet \($0)" } && others.map(\.number) == [0, 1, 2, 3, 4, 5])
    #expect(others.map(\.kind) == ["poem", "novel", "novel", "poem", "novel", "novel"])
    #expect(others.map(\.isLong) == [false, false, false, true, false, true])
  }

  @Test("Structures, collections and members of to-many relationships are read from objects")
  func objects() throws {
    struct Area: Decodable, Equatable { let height: Int }
    struct Sheet: Decodable, Equatable {
      let words: [String]
      let size: Area
    }
    struct Maker: Decodable, Equatable {
      let name: String
      let leaflets: [Sheet]
    }
    let byName = FetchDescriptor<Press>(sortBy: [SortDescriptor(\.name)])
    let makers = try ModelContext(container).fetchValues(byName, as: Maker.self)
    #expect(makers.map(\.name) == ["Branch", "Main"])
    #expect(
      makers.map { Set($0.leaflets.flatMap(\.words)) } == [["a1", "a4"], ["a0", "a3"]]
        && makers[1].leaflets.map(\.size.height).sorted() == [1, 4])
  }

  @Test("Values that are read from objects are the saved ones, too, if the descriptor ignores unsaved changes")
  func savedValues() throws {
    struct Sheet: Decodable, Equatable {
      let title: String
      let words: [String]
      let size: ProjectionModels.Size
    }
    let context = ModelContext(container)
    var saved = byPages
    saved.includePendingChanges = false
    let before = try context.fetchValues(saved, as: Sheet.self)
    let first = try #require(try context.fetch(byPages).first)
    (first.title, first.words, first.size.width, first.pages) = ("changed", [], 99, 99)
    context.delete(try #require(try context.fetch(byPages).first))
    context.insert(Leaflet(7, press: nil))
    #expect(try context.fetchValues(saved, as: Sheet.self) == before && before.count == 6)
    let pairs = try context.fetchValues(saved, \.title, \.words)
    #expect(pairs.map(\.0) == before.map(\.title) && pairs.map(\.1) == before.map(\.words))
    #expect(try context.fetchValues(saved, \.size.width) == Array(0..<6) && first.size.width == 99)
    // A model object that is a value is the context's own.
    #expect(try context.fetchValues(saved, \.press).allSatisfy { $0?.modelContext === context || $0 == nil })
  }

  @Test("A key without a property, a missing value and a value that does not fit are errors that name them")
  func errors() throws {
    struct Unknown: Decodable { let titel: String }
    struct Missing: Decodable { let rating: Double }
    struct Unfit: Decodable { let title: UUID }
    struct Optional: Decodable { let nothing: String?, title: String }
    let context = ModelContext(container)
    let unknown = #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.fetchValues(byPages, as: Unknown.self)
    }
    #expect(unknown?.explanation?.contains("titel") == true && unknown?.explanation?.contains("title") == true)
    #expect(throws: DecodingError.self) { try context.fetchValues(byPages, as: Missing.self) }
    #expect(throws: DecodingError.self) { try context.fetchValues(byPages, as: Unfit.self) }
    #expect(try context.fetchValues(byPages, as: Optional.self).allSatisfy { $0.nothing == nil })
  }

  @Test("A type that leads to itself ends with the chain of objects, and is refused for a circle")
  func recursion() throws {
    final class House: Decodable { let name: String, parent: House? }
    let context = ModelContext(container)
    let byName = FetchDescriptor<Press>(sortBy: [SortDescriptor(\.name)])
    let houses = try context.fetchValues(byName, as: House.self)
    #expect(houses.map { $0.parent?.name } == ["Main", nil])
    let presses = try context.fetch(byName)
    presses[1].parent = presses[0]
    try context.save()
    #expect(throws: DecodingError.self) { try ModelContext(container).fetchValues(byName, as: House.self) }
  }
}

extension ProjectionTests.Line.House {
  fileprivate init(_ press: ProjectionModels.Press) {
    self.init(name: press.name, parent: press.parent.map { Owner(name: $0.name) })
  }
}
