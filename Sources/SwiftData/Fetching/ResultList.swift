/// Objects in an order, in chunks of a few hundred.
///
/// Inserting or removing one of 100,000 objects moves one chunk, and copies one chunk if a client holds an older copy of the
/// list.
struct ResultList<Element: AnyObject>: RandomAccessCollection {
  /// Never empty, each.
  private(set) var chunks: [ContiguousArray<Element>] = []
  /// The position of the first object of each chunk.
  private(set) var starts: [Int] = []
  private(set) var count = 0

  /// A chunk of this size is split.
  static var largestChunk: Int { 512 }

  init() {}

  init(_ elements: some Collection<Element>) {
    let size = Self.largestChunk / 2
    var rest = elements[...]
    while !rest.isEmpty {
      starts.append(count)
      chunks.append(ContiguousArray(rest.prefix(size)))
      count += chunks[chunks.count - 1].count
      rest = rest.dropFirst(size)
    }
  }

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  subscript(position: Int) -> Element {
    let chunk = chunk(at: position)
    return chunks[chunk][position - starts[chunk]]
  }

  /// The chunk of a position, or the last chunk for the end position.
  func chunk(at position: Int) -> Int {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= position { low = middle } else { high = middle }
    }
    return low
  }

  /// The position at which an object keeps the list in order, behind all objects that are not after it.
  func insertionPosition(of element: Element, _ isBefore: (Element, Element) -> Bool) -> Int {
    var (low, high) = (0, chunks.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(element, chunks[middle][0]) { high = middle } else { low = middle + 1 }
    }
    guard low > 0 else { return 0 }
    let (chunk, start) = (chunks[low - 1], starts[low - 1])
    (low, high) = (1, chunk.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(element, chunk[middle]) { high = middle } else { low = middle + 1 }
    }
    return start + low
  }

  /// The result of a change of one chunk, for an index of the objects.
  enum Effect {
    case none
    /// A chunk was split; the given chunk is the second half.
    case split(Int)
    /// A chunk became empty and was removed.
    case removed(Int)
  }

  mutating func insert(_ element: Element, at position: Int) -> (chunk: Int, effect: Effect) {
    guard !chunks.isEmpty else {
      self = ResultList(CollectionOfOne(element))
      return (0, .none)
    }
    let chunk = chunk(at: position)
    chunks[chunk].insert(element, at: position - starts[chunk])
    shift(after: chunk, by: 1)
    let size = chunks[chunk].count
    guard size > Self.largestChunk else { return (chunk, .none) }
    let half = size / 2
    chunks.insert(ContiguousArray(chunks[chunk][half...]), at: chunk + 1)
    chunks[chunk].removeSubrange(half...)
    starts.insert(starts[chunk] + half, at: chunk + 1)
    return (position - starts[chunk] < half ? chunk : chunk + 1, .split(chunk + 1))
  }

  mutating func remove(at position: Int) -> Effect {
    let chunk = chunk(at: position)
    chunks[chunk].remove(at: position - starts[chunk])
    shift(after: chunk, by: -1)
    guard chunks[chunk].isEmpty else { return .none }
    chunks.remove(at: chunk)
    starts.remove(at: chunk)
    return .removed(chunk)
  }

  private mutating func shift(after chunk: Int, by distance: Int) {
    for later in starts.indices.dropFirst(chunk + 1) { starts[later] += distance }
    count += distance
  }
}
