import ErrorReporting
import ManagedModel

/// Collects the names of all tables, indexes and triggers of a store. SQLite requires distinct names.
///
/// Tables and indexes share one namespace, and triggers have another. ASCII case does not distinguish names. It is not
/// known how Core Data resolves a collision, so no store is made for a model with one.
struct DefinitionNames {
  private var users: [Name: User] = [:]

  /// The part of a model that a definition is for.
  struct User {
    /// As messages name it.
    let words: String
    /// The properties of an index; empty for anything else.
    var properties: [String] = []
    fileprivate(set) var name = ""
  }

  private enum Kind: String, CaseIterable {
    case table, index, trigger
  }

  private struct Name: Hashable {
    let isTrigger: Bool
    /// In UTF-8, since SQLite distinguishes normal forms.
    let folded: [UInt8]

    init(_ name: String, _ kind: Kind) {
      isTrigger = kind == .trigger
      folded = name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
    }
  }

  /// Takes the name of a statement's object, and the names of the tables that SQLite makes for an R*Tree.
  ///
  /// - Throws: ``LayoutError/definitionNamesCollide(kind:name:user:other:cause:)``
  mutating func add(_ definition: String, of user: User) throws(LayoutError) {
    guard let (kind, name) = Self.name(in: definition) else { return }
    let shadows = definition.hasPrefix("CREATE VIRTUAL") ? ["_node", "_parent", "_rowid"] : []
    for suffix in [""] + shadows {
      var user = user
      user.name = name + suffix
      guard let other = users.updateValue(user, forKey: Name(user.name, kind)) else { continue }
      throw .definitionNamesCollide(
        kind: kind.rawValue, name: user.name, user: user.words, other: other.words, cause: Self.cause(user, other))
    }
  }

  private static func cause(_ user: User, _ other: User) -> LayoutError.NameCollision? {
    if !user.name.hasBytes(of: other.name) { return .letterCase }
    if user.properties.isEmpty || other.properties.isEmpty || user.properties == other.properties { return nil }
    return .properties(user.properties, other: other.properties)
  }

  /// The kind and name of the object that one of our own statements makes, without quotation marks.
  private static func name(in definition: String) -> (Kind, String)? {
    let words = definition.split(separator: " ", maxSplits: 3).prefix(3)
    for (word, kind) in words.flatMap({ word in Kind.allCases.map { (word, $0) } })
    where word == kind.rawValue.uppercased() {
      let rest = definition[word.endIndex...].dropFirst()
      guard rest.unicodeScalars.first == "\"" else { return (kind, String(rest.prefix(while: { $0 != " " }))) }
      // Two adjacent quotation marks stand for one in the name.
      let parts = rest.unicodeScalars.dropFirst().split(separator: "\"", omittingEmptySubsequences: false)
      var name = parts.first.map { String($0) } ?? ""
      var next = 1
      while next + 1 < parts.count, parts[next].isEmpty {
        name += "\"" + String(parts[next + 1])
        next += 2
      }
      return (kind, name)
    }
    return nil
  }
}
