internal import Foundation

/// The result of a fetch in batches; it loads a batch when one of the batch's elements is read.
///
/// It holds the identifiers of all results and the batch used last. If a row was deleted after the fetch, its object's
/// `isDeleted` is `true`. Apple: `FetchResultsCollection`.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let identifiers: [PersistentIdentifier]
  private let batches: Batches

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
    self.identifiers = identifiers
    batches = Batches(size: Swift.max(1, batchSize), load: load)
  }

  /// The first element's index, 0.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int { identifiers.count }

  /// An element; costs one query if it is not in the batch used last.
  public subscript(position: Int) -> Element {
    precondition(
      identifiers.indices.contains(position), "SwiftData: the fetch has \(count) results, not one at \(position).")
    if !batches.range.contains(position) {
      let start = position / batches.size * batches.size
      let end = Swift.min(start + batches.size, identifiers.count)
      batches.elements = batches.load(identifiers[start..<end])
      batches.range = start..<end
    }
    return batches.elements[position - batches.range.lowerBound]
  }
}
