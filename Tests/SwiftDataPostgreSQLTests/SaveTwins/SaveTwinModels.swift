import Foundation
import SwiftData

/// A hierarchy of classes and relationships of each shape, for programs that run over a file and over a server. Nothing changes the number of
/// an object but an upsert.
enum SaveTwinModels {
  enum Kind: String, Codable, CaseIterable { case plain, odd, rare }

  struct Spot: Codable, Hashable {
    var line: String
    var place: Int?
  }

  @Model class Node {
    var number: Int
    @Attribute(.unique) var code: Int?
    @Attribute(.preserveValueOnDeletion) var note: String?
    var amount: Decimal = Decimal(0)
    var ratio: Double?
    var size: Int = 0
    var since: Date?
    var kind: Kind = Kind.plain
    @Attribute(.preserveValueOnDeletion) var spot: Spot?
    var tags: [String] = []
    @Attribute(.externalStorage) var picture: Data?
    @Attribute(.derived("children.@count")) var childCount: Int = 0
    @Attribute(.derived("sum:(steps.weight)")) var weight: Int = 0
    var parent: Node?
    @Relationship(deleteRule: .cascade, inverse: \Node.parent) var children: [Node] = []
    @Relationship(inverse: \Badge.node) var badge: Badge?
    @Relationship(inverse: \Word.nodes) var words: [Word] = []
    /// Has no inverse.
    var things: [Thing] = []
    @Relationship(.ordered, deleteRule: .cascade, inverse: \Step.node) var steps: [Step] = []
    @Relationship(.selfInverse) var friends: [Node] = []
    @Relationship(deleteRule: .deny, inverse: \Seal.node) var seals: [Seal] = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Leaf: Node {
    @Attribute(.unique) var serial: Int?
    var colour = "green"
    /// Has no inverse.
    var favourite: Word?

    override init(_ number: Int) { super.init(number) }
  }

  @Model final class Badge {
    var number: Int
    var node: Node?
    init(_ number: Int) { self.number = number }
  }

  @Model final class Word {
    var number: Int
    @Attribute(.unique) var text: String
    @Relationship(.ordered) var nodes: [Node] = []
    @Relationship(deleteRule: .cascade, inverse: \Seat.hall) var seats: [Seat] = []
    init(_ number: Int, _ text: String) { (self.number, self.text) = (number, text) }
  }

  @Model final class Thing {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  @Model final class Step {
    var number: Int
    var weight: Int
    var node: Node?
    init(_ number: Int, _ weight: Int) { (self.number, self.weight) = (number, weight) }
  }

  /// Requires its node, which it lets nobody delete.
  @Model final class Seal {
    var number: Int
    var node: Node
    init(_ number: Int, _ node: Node) { (self.number, self.node) = (number, node) }
  }

  /// Is unique by a value and an object.
  @Model final class Seat {
    #Unique<Seat>([\.row, \.hall])
    var number: Int
    var row: Int
    var hall: Word?
    var isTaken = false
    init(_ number: Int, row: Int) { (self.number, self.row) = (number, row) }
  }

  static let types: [any SaveTwinObject.Type] = [
    Node.self, Leaf.self, Badge.self, Word.self, Thing.self, Step.self, Seal.self, Seat.self,
  ]

  /// All objects of a context with their values and links, by number.
  ///
  /// - Parameter derived: whether to show derived values, which only a fresh context has for certain.
  static func description(of context: ModelContext, derived: Bool) throws -> [String] {
    func text(_ values: Any?...) -> String { values.map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ") }
    func list(_ objects: [any SaveTwinObject]) -> String { objects.map { "\($0.number)" }.joined(separator: ",") }
    func set(_ objects: [any SaveTwinObject]) -> String {
      objects.map(\.number).sorted().map { "\($0)" }.joined(separator: ",")
    }
    var lines: [String] = []
    for node in try context.fetch(FetchDescriptor<Node>()) {
      var line = text(
        type(of: node), node.number, "code", node.code, node.note, node.amount, node.ratio, node.size,
        node.since?.timeIntervalSinceReferenceDate, node.kind, node.spot.map { text($0.line, $0.place) }, node.tags,
        node.picture?.count, "parent", node.parent?.number, "badge", node.badge?.number)
      if derived { line += text(" derived", node.childCount, node.weight) }
      line += " children \(set(node.children)) words \(set(node.words)) things \(set(node.things))"
      line += " steps \(list(node.steps)) friends \(set(node.friends)) seals \(set(node.seals))"
      if let leaf = node as? Leaf { line += text(" ", leaf.serial, leaf.colour, "favourite", leaf.favourite?.number) }
      lines.append(line)
    }
    lines += try context.fetch(FetchDescriptor<Badge>()).map { text("Badge", $0.number, $0.node?.number) }
    lines += try context.fetch(FetchDescriptor<Word>()).map {
      text("Word", $0.number, $0.text, "nodes", list($0.nodes), "seats", set($0.seats))
    }
    lines += try context.fetch(FetchDescriptor<Thing>()).map { text("Thing", $0.number) }
    lines += try context.fetch(FetchDescriptor<Step>()).map { text("Step", $0.number, $0.weight, $0.node?.number) }
    lines += try context.fetch(FetchDescriptor<Seal>()).map { text("Seal", $0.number, $0.node.number) }
    lines += try context.fetch(FetchDescriptor<Seat>()).map {
      text("Seat", $0.number, $0.row, $0.hall?.number, $0.isTaken)
    }
    return lines.sorted()
  }
}

/// An object with a number that names it.
protocol SaveTwinObject: PersistentModel {
  var number: Int { get }
}

extension SaveTwinModels.Node: SaveTwinObject {}
extension SaveTwinModels.Badge: SaveTwinObject {}
extension SaveTwinModels.Word: SaveTwinObject {}
extension SaveTwinModels.Thing: SaveTwinObject {}
extension SaveTwinModels.Step: SaveTwinObject {}
extension SaveTwinModels.Seal: SaveTwinObject {}
extension SaveTwinModels.Seat: SaveTwinObject {}
