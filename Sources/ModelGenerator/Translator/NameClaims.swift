/// The spellings given away in one scope, so that each name gets one of its own.
struct NameClaims: Sendable {
  /// Spellings that nothing gets.
  let reserved: Set<String>
  private var taken: Set<String> = []
  /// Where the search for a free number goes on, so that a thousand names of one spelling cost a thousand steps.
  private var lastNumbers: [String: Int] = [:]

  init(reserved: Set<String>) { self.reserved = reserved }

  /// Everything that is reserved or given away.
  var all: Set<String> { reserved.union(taken) }

  /// Gives away the first of `name`, `name2`, `name3` … that is free, and with it what it occupies besides itself.
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
