/// The tickets of threads that wait for the same, in the order in which they came.
struct WaitingLine {
  /// Ascending. A thread that gives up leaves from the middle.
  private var tickets: [Int] = []

  var first: Int? { tickets.first }

  var count: Int { tickets.count }

  var isEmpty: Bool { tickets.isEmpty }

  /// - Parameter ticket: greater than all before it.
  mutating func add(_ ticket: Int) { tickets.append(ticket) }

  mutating func remove(_ ticket: Int) { tickets.removeAll { $0 == ticket } }
}
