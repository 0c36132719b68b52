import ManagedModel

/// The names of all that a store is made of: no two may be one and the same to SQLite, whatever they are made for.
///
/// Tables and indexes share one set of names, triggers have another; the case of ASCII letters does not count. No fact tells
/// what Core Data does where a model leads to one name twice, so no store is made then.
struct DefinitionNames {
  private var users: [Name: String] = [:]

  private enum Kind: String, CaseIterable {
    case table, index, trigger
  }

  private struct Name: Hashable {
    let isTrigger: Bool
    /// In UTF-8: SQLite tells normal forms apart.
    let folded: [UInt8]

    init(_ name: String, _ kind: Kind) {
      isTrigger = kind == .trigger
      folded = name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
    }
  }

  /// Takes the name that a statement gives, and those of the tables that SQLite makes with an R*Tree.
  ///
  /// - Parameter user: what the statement is made for, as messages have it.
  /// - Throws: ``LayoutError/definitionNamesCollide(kind:name:user:other:)``
  mutating func add(_ definition: String, of user: String) throws(LayoutError) {
    guard let (kind, name) = Self.name(in: definition) else { return }
    let shadows = definition.hasPrefix("CREATE VIRTUAL") ? ["_node", "_parent", "_rowid"] : []
    for suffix in [""] + shadows {
      guard let other = users.updateValue(user, forKey: Name(name + suffix, kind)) else { continue }
      throw .definitionNamesCollide(kind: kind.rawValue, name: name + suffix, user: user, other: other)
    }
  }

  /// What one of our own statements makes: the word after its kind, with or without quotation marks.
  private static func name(in definition: String) -> (Kind, String)? {
    let words = definition.split(separator: " ", maxSplits: 3).prefix(3)
    for (word, kind) in words.flatMap({ word in Kind.allCases.map { (word, $0) } })
    where word == kind.rawValue.uppercased() {
      let rest = definition[word.endIndex...].dropFirst()
      guard rest.first == "\"" else { return (kind, String(rest.prefix(while: { $0 != " " }))) }
      // Two quotation marks in a row, with nothing between them, stand for one of the name.
      let parts = rest.dropFirst().split(separator: "\"", omittingEmptySubsequences: false)
      var name = String(parts.first ?? "")
      var next = 1
      while next + 1 < parts.count, parts[next].isEmpty {
        name += "\"" + parts[next + 1]
        next += 2
      }
      return (kind, name)
    }
    return nil
  }
}
