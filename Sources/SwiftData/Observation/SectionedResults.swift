/// Results divided into sections. Apple: `SectionedResults` (iOS 27).
///
///     if let sections = observer.sections {
///       for section in sections { print(section.title, section.count) }
///     }
///
/// The collection keeps the state in which it was read. Titles may be of any hashable type; in Apple's framework they are strings.
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection {
  /// The collection's elements, which the type parameter `Element` would otherwise stand for.
  @_implements(Sequence,Element)
  public typealias _Section = ResultsSection<Element, SectionTitle>

  private let list: ResultList<Element>
  private let runs: [SectionRuns<SectionTitle>.Run]
  private let positions: Positions

  /// The position of each section and of its first element; made when first needed, and shared by copies.
  private final class Positions {
    let runs: [SectionRuns<SectionTitle>.Run]
    lazy var starts: [Int] = runs.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) }
    lazy var sections = Dictionary(
      runs.enumerated().map { ($1.title, $0) }, uniquingKeysWith: { first, _ in first })

    init(_ runs: [SectionRuns<SectionTitle>.Run]) { self.runs = runs }
  }

  init(_ list: ResultList<Element>, _ sections: SectionRuns<SectionTitle>) {
    self.list = list
    runs = sections.runs
    positions = Positions(sections.runs)
  }

  /// The titles in the order of the sections. Apple: `SectionedResults.sectionTitles`.
  public var sectionTitles: [SectionTitle] { runs.map(\.title) }

  /// The first section's index, 0.
  public var startIndex: Int { 0 }

  /// The number of sections.
  public var endIndex: Int { runs.count }

  /// A section.
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> {
    precondition(
      runs.indices.contains(position), "SwiftData: there are \(runs.count) sections, not one at \(position).")
    return ResultsSection(
      title: runs[position].title, list, positions.starts[position]..<positions.starts[position + 1])
  }

  /// The section with a title; `nil` if no element has it. Apple: `SectionedResults.subscript(sectionTitle:)`.
  ///
  /// Cost: a hash look-up; the first one indexes the sections.
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    positions.sections[title].map { self[$0] }
  }

  /// The place of the section with a title; `nil` if no element has it. Apple: `SectionedResults.index(ofSectionTitled:)`.
  ///
  /// Cost: a hash look-up; the first one indexes the sections.
  public func index(ofSectionTitled title: SectionTitle) -> Int? { positions.sections[title] }

  /// Whether an element has the title. Apple: `SectionedResults.contains(sectionTitle:)`.
  ///
  /// Cost: a hash look-up; the first one indexes the sections.
  public func contains(sectionTitle title: SectionTitle) -> Bool { positions.sections[title] != nil }

  /// The section of an element and the element's place in it.
  func place(of position: Int) -> (section: Int, item: Int) {
    var (low, high) = (0, runs.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if positions.starts[middle] <= position { low = middle } else { high = middle }
    }
    return (low, position - positions.starts[low])
  }
}

/// The elements with one section title, in order. Apple: `ResultsSection` (iOS 27).
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection, Identifiable {
  /// The value that all elements have at the section's key path.
  public let title: SectionTitle
  private let list: ResultList<Element>
  private let range: Range<Int>

  init(title: SectionTitle, _ list: ResultList<Element>, _ range: Range<Int>) {
    self.title = title
    self.list = list
    self.range = range
  }

  /// The title, which no other section has.
  public var id: SectionTitle { title }

  /// The first element's index, 0.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int { range.count }

  /// An element of the section.
  public subscript(position: Int) -> Element {
    precondition(
      position >= 0 && position < range.count,
      "SwiftData: the section has \(range.count) elements, not one at \(position).")
    return list[range.lowerBound + position]
  }
}
