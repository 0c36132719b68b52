/// What the compiler writes about the public symbols of a module, as far as `PublicSurface` reads it.
struct SymbolGraph: Decodable {
  struct Symbol: Decodable {
    struct Identifier: Decodable { let precise: String }
    struct Kind: Decodable { let identifier: String }
    struct Fragment: Decodable { let kind, spelling: String }
    struct Constraint: Decodable, Hashable { let kind, lhs, rhs: String }
    struct Constraints: Decodable { let constraints: [Constraint]? }
    let identifier: Identifier
    let kind: Kind
    let pathComponents: [String]
    let declarationFragments: [Fragment]?
    /// What the declaration and all that it stands in demand.
    let swiftGenerics: Constraints?
    /// `nil` outside extensions.
    let swiftExtension: Constraints?
  }
  struct Relationship: Decodable {
    let kind, source, target: String
    let targetFallback: String?
  }
  let symbols: [Symbol]
  let relationships: [Relationship]
}

extension SymbolGraph.Symbol {
  var name: String { pathComponents.joined(separator: ".") }
  var type: String { pathComponents.dropLast().joined(separator: ".") }
  var isType: Bool { ["protocol", "struct", "class", "enum"].contains { kind.identifier == "swift.\($0)" } }
  /// Whether the compiler lists a member of an extended protocol once more, for a type that conforms to it.
  var isSynthesized: Bool { identifier.precise.contains("::SYNTHESIZED::") }

  /// The declaration without the names that callers do not see, and without what only matters to subclasses.
  var declaration: String {
    var text = ""
    var skipsSpace = false
    for fragment in declarationFragments ?? [] {
      switch fragment.kind {
      case "internalParam":
        // A subscript's parameter has no label.
        if text.hasSuffix("(") || text.hasSuffix(", ") { text += "_" } else { text.removeLast() }
      case "keyword" where ["final", "convenience", "override", "required", "weak"].contains(fragment.spelling):
        skipsSpace = true
      default:
        text += fragment.spelling.dropFirst(skipsSpace && fragment.spelling.hasPrefix(" ") ? 1 : 0)
        skipsSpace = false
      }
    }
    return text
  }
}
