/// The spellings in use in one scope. Each name gets its own spelling.
struct NameClaims: Sendable {
  /// Spellings that no name may have.
  let reserved: Set<String>
  private var taken: Set<String> = []
  /// The last number tried for each spelling, so that a thousand names with one spelling cost a thousand steps.
  private var lastNumbers: [String: Int] = [:]

  init(reserved: Set<String>) { self.reserved = reserved }

  /// All reserved spellings and all spellings in use.
  var all: Set<String> { reserved.union(taken) }

  /// Takes the first free spelling among `name`, `name2`, `name3` …, together with the further spellings that it
  /// occupies.
  mutating func claim(_ name: String, occupying others: (String) -> [String] = { _ in [] }) -> String {
    var spelled = name
    var number = lastNumbers[name] ?? 1
    if number > 1 { spelled = name + String(number) }
    while isTaken(spelled) || others(spelled).contains(where: isTaken) {
      number += 1
      spelled = name + String(number)
    }
    lastNumbers[name] = number
    taken.insert(spelled)
    taken.formUnion(others(spelled))
    return spelled
  }

  private func isTaken(_ name: String) -> Bool { taken.contains(name) || reserved.contains(name) }
}
