/// A list of results with an index from each object to its position.
///
/// The index is made when a position is first asked for: one pass. Later changes cost one hash look-up and one chunk.
struct OrderedResults<Element: AnyObject> {
  private(set) var list = ResultList<Element>()
  private var index: Index?

  /// Where each object is: the number of its chunk, which the chunk keeps until it is removed.
  private struct Index {
    var numberOfObject: [ObjectIdentifier: Int32] = [:]
    /// By chunk.
    var numbers: [Int32] = []
    /// By number; the place of a removed chunk is meaningless.
    var chunkOfNumber: [Int] = []

    init(_ list: ResultList<Element>) {
      numberOfObject.reserveCapacity(list.count)
      for (chunk, elements) in list.chunks.enumerated() {
        for element in elements { numberOfObject[ObjectIdentifier(element)] = Int32(chunk) }
      }
      numbers = list.chunks.indices.map { Int32($0) }
      chunkOfNumber = Array(list.chunks.indices)
    }

    var isEmpty: Bool { numbers.isEmpty }

    mutating func note(_ element: Element, in chunk: Int) {
      numberOfObject[ObjectIdentifier(element)] = numbers[chunk]
    }

    /// Adds a chunk that took objects from its predecessor.
    mutating func noteSplit(_ chunk: Int, _ elements: ContiguousArray<Element>) {
      let number = Int32(chunkOfNumber.count)
      numbers.insert(number, at: chunk)
      chunkOfNumber.append(chunk)
      renumber(from: chunk)
      for element in elements { numberOfObject[ObjectIdentifier(element)] = number }
    }

    mutating func noteRemoval(of chunk: Int) {
      numbers.remove(at: chunk)
      renumber(from: chunk)
    }

    private mutating func renumber(from first: Int) {
      for chunk in numbers.indices.dropFirst(first) { chunkOfNumber[Int(numbers[chunk])] = chunk }
    }
  }

  init() {}

  init(_ elements: some Collection<Element>) { list = ResultList(elements) }

  /// The position of an object; `nil` if it is not in the list.
  mutating func position(of element: Element) -> Int? {
    if index == nil { index = Index(list) }
    guard let index, let number = index.numberOfObject[ObjectIdentifier(element)] else { return nil }
    let chunk = index.chunkOfNumber[Int(number)]
    return list.chunks[chunk].firstIndex { $0 === element }.map { list.starts[chunk] + $0 }
  }

  mutating func insert(_ element: Element, at position: Int) {
    let (chunk, effect) = list.insert(element, at: position)
    guard var known = index else { return }
    // The index has one owner while it is changed, so that it is not copied.
    index = nil
    if case .split(let new) = effect { known.noteSplit(new, list.chunks[new]) }
    // An index of an empty list has no chunk; it is made anew when needed.
    guard !known.isEmpty else { return }
    known.note(element, in: chunk)
    index = known
  }

  mutating func remove(at position: Int) {
    let element = list[position]
    let effect = list.remove(at: position)
    index?.numberOfObject[ObjectIdentifier(element)] = nil
    if case .removed(let chunk) = effect { index?.noteRemoval(of: chunk) }
  }
}
