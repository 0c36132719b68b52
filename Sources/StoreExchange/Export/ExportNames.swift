import ManagedModel
import SQLite

/// Names of tables or columns, each different from the others without regard to case, as SQLite demands.
struct ExportNames {
  private var claims: NameClaims
  /// The things whose names in the model could not be used, each with the name that replaces it.
  private(set) var renamings: [(what: String, name: String)] = []

  init(taken: some Sequence<String> = []) {
    claims = NameClaims(reserved: Set(taken.map { $0.lowercased() }), isCaseSensitive: false)
  }

  /// The name itself if it is free, otherwise the first free name of the others, otherwise the name with a number.
  ///
  /// - Parameter what: the thing that gets the name, for the list of renamings; `nil` to leave the renaming out of the
  ///   list.
  mutating func take(_ name: String, or others: String..., for what: String? = nil) -> Identifier {
    let plain = Self.possible(name)
    let free = ([plain] + others.map(Self.possible)).first { !claims.isTaken($0) }
    let unique = claims.claim(free ?? plain, numbered: { "\($0)_\($1)" })
    if unique != name, let what { renamings.append((what, unique)) }
    return Identifier(unique)
  }

  /// A valid SQL name that SQLite does not reserve.
  private static func possible(_ name: String) -> String {
    let plain = name.replacing("\0", with: "␀")
    if plain.isEmpty { return "_" }
    return plain.lowercased().hasPrefix("sqlite_") ? "_" + plain : plain
  }
}
