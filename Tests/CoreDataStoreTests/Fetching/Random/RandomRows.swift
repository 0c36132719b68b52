import Foundation
import ManagedModel
import StoreRequests
import TestSupport

/// Random objects of a random model, with relationships among them, for any engine.
struct RandomRows {
  private(set) var made: [Made] = []
  private var links = ChangeSet()

  struct Made {
    let entity: String
    let row: StoreValuesRow
    var attributes: [String: StoreValue]
    var toOne: [String: Int] = [:]
    var toMany: [String: [Int]] = [:]
  }

  init(of random: FetchRandomModel, _ numbers: inout SplitMix) {
    for entity in random.entities where !entity.isAbstract {
      for _ in 0..<numbers.below(13) { made.append(Self.object(entity.name, random, &numbers)) }
    }
    for link in random.links { Self.connect(link, &made, &links, random, &numbers) }
  }

  /// The objects as one change set.
  ///
  /// - Parameter number: the number of an entity in the store.
  func changes(_ number: (String) throws -> Int32) rethrows -> ChangeSet {
    var changes = links
    for object in made {
      changes.insertions.append(
        ChangeSet.Insertion(
          entity: try number(object.entity),
          columns: object.row.contents.keys.sorted().map {
            ColumnSelection(entityName: object.entity, propertyName: $0)
          }, source: object.row))
    }
    return changes
  }

  /// The same objects, with `0` for NUL in texts: PostgreSQL's texts have no NUL.
  func withoutNUL() -> RandomRows {
    func plain(_ value: StoreValue) -> StoreValue {
      if case .text(let text) = value { .text(text.replacing("\0", with: "0")) } else { value }
    }
    var copy = self
    for index in copy.made.indices {
      copy.made[index].attributes = copy.made[index].attributes.mapValues(plain)
      // Other rows refer to this one.
      let row = copy.made[index].row
      row.contents = row.contents.mapValues { content in
        if case .values(let values) = content { .values(values.map(plain)) } else { content }
      }
    }
    return copy
  }

  // MARK: Values

  static let texts = [
    "", "a", "A", "ab", "abc", "\u{C9}", "E\u{301}", "\u{E9}t\u{E9}", "e\u{301}te\u{301}", "K", "\u{212A}", "K\u{E9}",
    ";", "\u{37E}", "2024-01-01", "2024-02", "10", "9", "stra\u{DF}e", "%", "a*", "a\u{0}b", "'", "Zo\u{EB}", "e",
    "\u{1E69}", "s\u{323}\u{307}", "\u{D55C}", "\u{1112}\u{1161}\u{11AB}", "a\u{301}", "=\u{338}", "\u{2260}", "=",
  ]

  /// Texts in which languages differ: fullwidth letters, the i's of Turkish, sigmas, ligatures, and names with numbers.
  static let textsOfLanguages = [
    "\u{FF21}b", "\u{FF41}", "\u{130}", "\u{131}", "I", "i", "\u{3A3}", "\u{3C3}", "\u{3C2}", "\u{FB01}", "fi",
    "\u{1C5}", "a-b", "a b", "a10", "a9", "\u{1E9E}", "STRASSE", "\u{2126}", "\u{3A9}", "[a-e]+", ".",
  ]

  static func value(_ type: AttributeType, _ numbers: inout SplitMix) -> StoreValue {
    switch type {
    case .integer16: .integer(Int64(numbers.below(9) - 3))
    case .integer32: .integer([-40_000, 7, 0, 3, 70_000][numbers.below(5)])
    case .integer64: .integer([0, 1, 2, -1, 1 << 40 + 1, 5][numbers.below(6)])
    case .boolean: .integer(Int64(numbers.below(2)))
    case .float, .double, .decimal: .real(Double(numbers.below(20) - 6) / 4)
    case .date: .real(Double(numbers.below(12)) * 500.5)
    case .uuid: .blob(Data(repeating: UInt8(numbers.below(4)), count: 16))
    case .binary: .blob(Data("bytes".utf8.prefix(numbers.below(4))))
    case .uri: .text(["http://a/1", "http://a/2", "file:///x"][numbers.below(3)])
    default: .text(text(&numbers))
    }
  }

  /// A text of either list. The choice takes no number, so that the other values of a seed stay as they are.
  private static func text(_ numbers: inout SplitMix) -> String {
    let text = texts[numbers.below(texts.count)]
    var ahead = numbers
    return ahead.once(in: 4) ? textsOfLanguages[ahead.below(textsOfLanguages.count)] : text
  }

  private static func object(_ entity: String, _ random: FetchRandomModel, _ numbers: inout SplitMix) -> Made {
    var contents: [String: StoreValuesRow.Content] = [:]
    var attributes: [String: StoreValue] = [:]
    for attribute in random.attributes(entity) {
      let isNull = attribute.isOptional && numbers.once(in: 4)
      if attribute.elements.isEmpty {
        let value = isNull ? .null : value(attribute.type, &numbers)
        contents[attribute.name] = .values([value])
        attributes[attribute.name] = value
      } else {
        let values = attribute.elements.map { isNull ? .null : value($0.type, &numbers) }
        contents[attribute.name] = .values(values)
        for (element, value) in zip(attribute.elements, values) {
          attributes["\(attribute.name).\(element.name)"] = value
        }
      }
    }
    for relationship in random.relationships(entity) where !relationship.isToMany {
      contents[relationship.name] = .object(nil)
    }
    return Made(entity: entity, row: StoreValuesRow(contents), attributes: attributes)
  }

  private static func connect(
    _ link: FetchRandomModel.Link, _ made: inout [Made], _ changes: inout ChangeSet, _ random: FetchRandomModel,
    _ numbers: inout SplitMix
  ) {
    let sources = made.indices.filter { random.isKind(made[$0].entity, of: link.source) }
    let others = made.indices.filter { random.isKind(made[$0].entity, of: link.destination) }
    guard !sources.isEmpty, !others.isEmpty else { return }
    func lead(_ from: Int, _ name: String, to target: Int) {
      made[from].toOne[name] = target
      made[from].row.contents[name] = .row(made[target].row)
    }
    var members: [Int: [Int]] = [:]
    switch (link.isToMany, link.inverseName, link.inverseIsToMany) {
    case (true, let inverse, false):
      // Each object has one owner at most.
      for other in others.shuffled(using: &numbers) where !numbers.once(in: 3) {
        let owner = sources[numbers.below(sources.count)]
        members[owner, default: []].append(other)
        made[owner].toMany[link.name, default: []].append(other)
        if let inverse { lead(other, inverse, to: owner) }
      }
      if link.inverseName != nil, !link.isOrdered { members = [:] }
    case (true, _, true):
      for source in sources {
        for other in others where numbers.once(in: 4) {
          if link.isOwnInverse, other <= source { continue }
          members[source, default: []].append(other)
          made[source].toMany[link.name, default: []].append(other)
          if let inverse = link.inverseName { made[other].toMany[inverse, default: []].append(source) }
        }
      }
    case (false, nil, _):
      for source in sources where !numbers.once(in: 3) {
        lead(source, link.name, to: others[numbers.below(others.count)])
      }
    case (false, let inverse?, _):
      for (source, other) in zip(sources, others.shuffled(using: &numbers))
      where source != other && made[source].toOne[link.name] == nil && made[other].toOne[inverse] == nil {
        lead(source, link.name, to: other)
        lead(other, inverse, to: source)
      }
    }
    for (owner, objects) in members.sorted(by: { $0.key < $1.key }) {
      let isAddition = link.inverseName == nil || link.inverseIsToMany
      changes.relationshipChanges.append(
        .init(
          owner: .inserted(owner), relationship: link.name,
          added: isAddition ? objects.map { .inserted($0) } : [],
          order: link.isOrdered ? objects.map { .inserted($0) } : nil))
    }
  }
}
