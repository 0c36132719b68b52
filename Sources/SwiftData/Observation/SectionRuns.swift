/// The sections of a sorted list: consecutive objects with equal titles.
struct SectionRuns<Title: Hashable> {
  private(set) var runs: [Run] = []

  struct Run {
    let title: Title
    var count: Int
  }

  /// The sections of titles in the list's order; equal titles follow each other.
  init(_ titles: some Sequence<Title>) {
    for title in titles {
      if let last = runs.last, last.title == title {
        runs[runs.count - 1].count += 1
      } else {
        runs.append(Run(title: title, count: 1))
      }
    }
  }

  /// Removes the objects at some positions, ascending. Cost: a look at each section.
  mutating func remove(at positions: [Int]) {
    guard let first = positions.first, let last = positions.last else { return }
    var (places, end) = runs(around: first...last)
    var rest = positions[...]
    let left = runs[places].compactMap { run -> Run? in
      end += run.count
      let leaving = rest.prefix { $0 < end }.count
      rest = rest.dropFirst(leaving)
      return leaving < run.count ? Run(title: run.title, count: run.count - leaving) : nil
    }
    runs.replaceSubrange(places, with: left)
  }

  /// Inserts objects at the positions that they have afterwards, ascending. Cost: a look at each section.
  mutating func insert(_ objects: [(title: Title, position: Int)]) {
    guard let first = objects.first, let last = objects.last else { return }
    var (places, position) = runs(around: first.position...max(first.position, last.position - objects.count + 1))
    var made: [Run] = []
    func add(_ title: Title, _ count: Int) {
      if let last = made.last, last.title == title {
        made[made.count - 1].count += count
      } else {
        made.append(Run(title: title, count: count))
      }
      position += count
    }
    var rest = objects[...]
    func addArriving() {
      while let arriving = rest.first, arriving.position <= position {
        add(arriving.title, 1)
        rest = rest.dropFirst()
      }
    }
    addArriving()
    for run in runs[places] {
      var left = run.count
      while left > 0 {
        let staying = min(left, rest.first.map { $0.position - position } ?? left)
        add(run.title, staying)
        left -= staying
        addArriving()
      }
    }
    runs.replaceSubrange(places, with: made)
  }

  /// The runs that contain some positions, the run that ends right before the first of these, and the position of their first object.
  private func runs(around positions: ClosedRange<Int>) -> (places: Range<Int>, start: Int) {
    var (first, start) = (0, 0)
    while first < runs.count, start + runs[first].count < positions.lowerBound {
      start += runs[first].count
      first += 1
    }
    var (end, next) = (first, start)
    while end < runs.count, next <= positions.upperBound {
      next += runs[end].count
      end += 1
    }
    return (first..<end, start)
  }
}
