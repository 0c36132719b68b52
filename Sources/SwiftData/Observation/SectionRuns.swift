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

  /// Removes the object at a position. Cost: a look at each section.
  mutating func remove(at position: Int) {
    var start = 0
    for run in runs.indices {
      if position < start + runs[run].count {
        runs[run].count -= 1
        if runs[run].count == 0 { runs.remove(at: run) }
        return
      }
      start += runs[run].count
    }
  }

  /// Inserts an object at a position. Cost: a look at each section.
  mutating func insert(_ title: Title, at position: Int) {
    var start = 0
    for run in runs.indices {
      let end = start + runs[run].count
      // Comparing titles costs more than comparing positions.
      if (start...end).contains(position), runs[run].title == title {
        runs[run].count += 1
        return
      }
      if position == start { return runs.insert(Run(title: title, count: 1), at: run) }
      start = end
    }
    runs.append(Run(title: title, count: 1))
  }
}
