import PostgreSQL

/// Gives out names of at most 63 bytes, each once within a table or a schema.
struct NameList {
  private var taken: Set<String>

  init(reserved: Set<String> = []) { taken = reserved }

  /// The first free name among `name`, `name_2`, `name_3` …
  mutating func claim(_ name: String) -> Identifier {
    let name = name.isEmpty ? "_" : name
    var candidate = name.prefix(bytes: Identifier.longestName)
    var number = 1
    while !taken.insert(candidate).inserted {
      number += 1
      let suffix = "_\(number)"
      candidate = name.prefix(bytes: Identifier.longestName - suffix.utf8.count) + suffix
    }
    return Identifier(candidate)
  }
}
