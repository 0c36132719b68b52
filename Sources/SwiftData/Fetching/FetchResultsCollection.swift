internal import Foundation

/// The result of a fetch in batches, or a state of live results.
///
/// After a fetch in batches it holds the identifiers of all results, and the batch used last. It loads a batch when one of its
/// elements is read. If a row was deleted after the fetch, its object's `isDeleted` is `true`. The results of a
/// ``ResultsObserver`` are objects already; a copy of them stays as it was. Apple: `FetchResultsCollection`.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let source: Source

  private enum Source {
    case batches([PersistentIdentifier], Batches)
    /// The elements of a list by position.
    case list(count: Int, element: (Int) -> Element)
  }

  /// The batch used last; shared by copies of the collection.
  private final class Batches {
    let size: Int
    let load: (ArraySlice<PersistentIdentifier>) -> [Element]
    var range = 0..<0
    var elements: [Element] = []

    init(size: Int, load: @escaping (ArraySlice<PersistentIdentifier>) -> [Element]) {
      self.size = size
      self.load = load
    }
  }

  /// - Parameter load: returns an element for each identifier, in the same order.
  init(
    _ identifiers: [PersistentIdentifier], batchSize: Int,
    load: @escaping (ArraySlice<PersistentIdentifier>) -> [Element]
  ) {
    source = .batches(identifiers, Batches(size: Swift.max(1, batchSize), load: load))
  }

  /// A state of live results.
  init(_ list: ResultList<Element>) where Element: AnyObject {
    source = .list(count: list.count) { list[$0] }
  }

  /// The first element's index, 0.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int {
    switch source {
    case .batches(let identifiers, _): identifiers.count
    case .list(let count, _): count
    }
  }

  /// An element; costs one query if a fetch in batches has not loaded it last.
  public subscript(position: Int) -> Element {
    precondition(
      position >= 0 && position < count, "SwiftData: the fetch has \(count) results, not one at \(position).")
    switch source {
    case .list(_, let element): return element(position)
    case .batches(let identifiers, let batches):
      if !batches.range.contains(position) {
        let start = position / batches.size * batches.size
        let end = Swift.min(start + batches.size, identifiers.count)
        batches.elements = batches.load(identifiers[start..<end])
        batches.range = start..<end
      }
      return batches.elements[position - batches.range.lowerBound]
    }
  }
}
