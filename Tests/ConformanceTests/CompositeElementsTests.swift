import Foundation
import SwiftData
import TestSupport
import Testing

/// Parcels, whose labels have an element of each kind.
private enum Post {
  enum Kind: String, Codable, Comparable {
    case letter, parcel, card
    /// Not the order of the raw values.
    private var rank: Int { self == .letter ? 0 : self == .parcel ? 1 : 2 }
    static func < (left: Kind, right: Kind) -> Bool { left.rank < right.rank }
  }
  enum Speed: Int, Codable { case slow = 1, fast = 7 }
  enum State: Codable, Equatable { case packed, sent }
  enum Fee: Codable, Equatable {
    case none
    case sum(cents: Int, currency: String)
  }
  struct Marks: OptionSet, Codable {
    let rawValue: Int
    static let fragile = Marks(rawValue: 1)
    static let heavy = Marks(rawValue: 4)
  }
  /// Encodes itself as its text.
  struct Code: Codable, Equatable {
    var text: String
    init(_ text: String) { self.text = text }
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }
  struct Size: Codable, Equatable {
    var width: Double
    var height: Double?
  }

  @Composite struct Label: Codable, Equatable {
    var street = "Main"
    var kind = Kind.letter
    var speed: Speed?
    var state = State.packed
    var fee: Fee?
    var marks: Marks = []
    var code = Code("?")
    var size: Size?
    var sizes: [Size] = []
    @Attribute(.codable) var note: String?
    var inner = Inner()
  }

  @Composite struct Inner: Codable, Equatable {
    var innerKind: Kind? = .card
    var innerSize = Size(width: 1)
  }

  @Model final class Parcel {
    #Index<Parcel>([\.label.kind], [\.label.inner.innerKind, \.number])
    var number: Int
    var label: Label
    var back: Label?
    init(_ number: Int, _ label: Label, back: Label? = nil) {
      (self.number, self.label, self.back) = (number, label, back)
    }
  }
}

private typealias Parcel = Post.Parcel
private typealias Label = Post.Label

@Suite("Elements of composites, whatever their types", ChapterPlace.condition)
struct CompositeElementsTests {
  private let store: TemporaryStore

  init() throws { store = try TemporaryStore(name: "Post.store") }

  private func open() throws -> ModelContext {
    ModelContext(try ModelContainer(for: Parcel.self, configurations: ModelConfiguration(url: store.url)))
  }

  private static let full = Label(
    street: "Side", kind: .parcel, speed: .fast, state: .sent, fee: .sum(cents: 250, currency: "EUR"),
    marks: [.fragile, .heavy], code: Post.Code("X-1"), size: Post.Size(width: 2, height: 3),
    sizes: [Post.Size(width: 4)],
    note: "\"quoted\"", inner: Post.Inner(innerKind: .letter, innerSize: Post.Size(width: 9, height: 8)))

  private func fill() throws {
    let context = try open()
    context.insert(Parcel(1, Label()))
    context.insert(Parcel(2, Self.full, back: Label()))
    context.insert(Parcel(3, Label(inner: Post.Inner(innerKind: nil)), back: Self.full))
    try context.save()
  }

  private func parcels(_ context: ModelContext) throws -> [Parcel] {
    try context.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.number)]))
  }

  @Test("Every value is read as it was saved")
  func values() throws {
    try fill()
    let read = try parcels(open())
    #expect(read.map(\.label) == [Label(), Self.full, Label(inner: Post.Inner(innerKind: nil))])
    #expect(read.map(\.back) == [nil, Label(), Self.full])
  }

  @Test("A change of one element is saved")
  func changes() throws {
    try fill()
    let context = try open()
    let read = try parcels(context)
    read[0].label.kind = .card
    read[0].label.inner.innerKind = .parcel
    read[1].label.speed = nil
    read[1].label.fee = Post.Fee.none
    read[1].back?.state = .sent
    read[2].back = nil
    try context.save()
    let again = try parcels(open())
    #expect(again[0].label == Label(kind: .card, inner: Post.Inner(innerKind: .parcel)))
    #expect(again[1].label.speed == nil && again[1].label.fee == Post.Fee.none && again[1].back?.state == .sent)
    #expect(again[2].back == nil)
  }

  @Test("A predicate compares raw values, also of a composite in a composite")
  func predicates() throws {
    try fill()
    let context = try open()
    let kind = Post.Kind.parcel
    func numbers(_ predicate: Predicate<Parcel>) throws -> [Int] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])).map(\.number)
    }
    #expect(try numbers(#Predicate { $0.label.kind == kind }) == [2])
    #expect(try numbers(#Predicate { $0.label.kind != kind }) == [1, 3])
    #expect(try numbers(#Predicate { $0.label.speed == nil }) == [1, 3])
    let card: Post.Kind? = .card
    #expect(try numbers(#Predicate { $0.label.inner.innerKind == card }) == [1])
    let sent = Post.State.sent
    #expect(try numbers(#Predicate { $0.label.state == sent }) == [2])
  }

  @Test("Rows are counted by an element's raw value")
  func batches() throws {
    try fill()
    let context = try open()
    let letter = Post.Kind.letter
    #expect(try context.fetchCount(FetchDescriptor<Parcel>(predicate: #Predicate { $0.label.kind == letter })) == 2)
    try context.delete(model: Parcel.self, where: #Predicate { $0.label.kind == letter })
    try context.save()
    #expect(try parcels(open()).map(\.number) == [2])
  }

  @Test("A sort has the order of the type, not that of its raw values")
  func sorting() throws {
    let context = try open()
    for (number, kind) in [Post.Kind.card, .letter, .parcel].enumerated() {
      context.insert(Parcel(number, Label(kind: kind)))
    }
    try context.save()
    let again = try open()
    let sorted = try again.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.label.kind)]))
    #expect(sorted.map(\.label.kind) == [.letter, .parcel, .card])
    let reversed = try again.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.label.kind, order: .reverse)]))
    #expect(reversed.map(\.number) == [0, 2, 1])
  }
}
