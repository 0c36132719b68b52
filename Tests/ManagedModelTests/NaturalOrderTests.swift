import ManagedModel
import Testing

@Suite("Natural order of names")
struct NaturalOrderTests {
  private let ordered = [
    "", "1", "2", "10", "100000000000000000000000000000", "Model", "Model 2", "Model 02", "Model 3", "model 10",
    "Model 10",
    "Model 10b", "Model2", "Modell", "v1.9", "v1.10", "Ä",
  ]

  @Test("Every pair of names is ordered one way, and by the value of numbers")
  func allPairs() {
    // Equal but for case or leading zeros: only that the order is a strict one matters.
    let ties: [Set<String>] = [["Model 2", "Model 02"], ["model 10", "Model 10"]]
    for (position, left) in ordered.enumerated() {
      #expect(!naturalOrder(left, left))
      for right in ordered[(position + 1)...] {
        #expect(naturalOrder(left, right) != naturalOrder(right, left), "\(left) and \(right)")
        if !ties.contains([left, right]) { #expect(naturalOrder(left, right), "\(left) before \(right)") }
      }
    }
  }

  @Test("Sorting does not depend on the order it starts from")
  func stable() {
    let sorted = ordered.sorted(by: naturalOrder)
    #expect(Array(ordered.reversed()).sorted(by: naturalOrder) == sorted)
  }
}
