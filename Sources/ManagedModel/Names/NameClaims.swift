/// The names in use in one scope. Each claim gets a name of its own: a name that is taken gets a number.
package struct NameClaims: Sendable {
  /// Names that no claim gets.
  package let reserved: Set<String>
  private var taken: Set<String> = []
  /// The last number tried for each name, so that a thousand claims of one name cost a thousand steps.
  private var lastNumbers: [String: Int] = [:]
  private let firstNumber: Int
  private let isCaseSensitive: Bool

  /// - Parameters:
  ///   - reserved: names that no claim gets; in lower case if the case does not count.
  ///   - firstNumber: the number of the second claim of a name.
  package init(reserved: Set<String> = [], firstNumber: Int = 2, isCaseSensitive: Bool = true) {
    self.reserved = reserved
    self.firstNumber = firstNumber
    self.isCaseSensitive = isCaseSensitive
  }

  /// All reserved names and all names in use.
  package var all: Set<String> { reserved.union(taken) }

  /// Takes the first free name among `name`, `name2`, `name3` …, together with the further names that it occupies.
  ///
  /// - Parameter numbered: the name with a number.
  package mutating func claim(
    _ name: String, occupying others: (String) -> [String] = { _ in [] },
    numbered: (String, Int) -> String = { "\($0)\($1)" }
  ) -> String {
    var number = lastNumbers[name] ?? firstNumber - 1
    var candidate = number < firstNumber ? name : numbered(name, number)
    while isTaken(candidate) || others(candidate).contains(where: isTaken) {
      number += 1
      candidate = numbered(name, number)
    }
    lastNumbers[name] = number
    for name in [candidate] + others(candidate) { taken.insert(key(name)) }
    return candidate
  }

  package func isTaken(_ name: String) -> Bool {
    let key = key(name)
    return taken.contains(key) || reserved.contains(key)
  }

  private func key(_ name: String) -> String { isCaseSensitive ? name : name.lowercased() }
}
