/// A type of texts with a fixed list of values, as a database declares it.
package struct EnumerationDescription: Sendable, Hashable {
  package var name: String
  /// In declared order.
  package var labels: [String]

  package init(name: String, labels: [String]) {
    self.name = name
    self.labels = labels
  }
}
