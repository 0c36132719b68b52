import SQLite

/// Names that are given once each, without regard to case, as SQLite tells tables and columns apart.
struct ExportNames {
  private var taken: Set<String>
  /// What could not be called what it is called in the model, and what it is called instead.
  private(set) var renamings: [(what: String, name: String)] = []

  init(taken: some Sequence<String> = []) { self.taken = Set(taken.map { $0.lowercased() }) }

  /// The name itself where it is free, or else the first free one of the others; then the name with a number.
  ///
  /// - Parameter what: what is named, for those who look for it under its own name; `nil` where nobody does.
  mutating func take(_ name: String, or others: String..., for what: String? = nil) -> Identifier {
    let plain = Self.possible(name)
    let numbered = (2...).lazy.map { "\(plain)_\($0)" }
    for candidate in [plain] + others.map(Self.possible) where taken.insert(candidate.lowercased()).inserted {
      return note(candidate, name, what)
    }
    for candidate in numbered where taken.insert(candidate.lowercased()).inserted { return note(candidate, name, what) }
    return Identifier(plain)
  }

  private mutating func note(_ candidate: String, _ name: String, _ what: String?) -> Identifier {
    if candidate != name, let what { renamings.append((what, candidate)) }
    return Identifier(candidate)
  }

  /// A name that SQL text can hold and SQLite does not keep for itself.
  private static func possible(_ name: String) -> String {
    let plain = name.replacing("\0", with: "␀")
    if plain.isEmpty { return "_" }
    return plain.lowercased().hasPrefix("sqlite_") ? "_" + plain : plain
  }
}
